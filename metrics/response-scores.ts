import { LEVELS, type Level } from '../schemas/levels.ts';

/** How an atom should be used and how it was. */
export interface AtomUse {
  readonly ideal: Level;
  readonly actual: Level;
}

/** The paper's scores of one response, each from 0 to 1 (section 2.3). */
export interface ResponseScores {
  readonly SCS: number;
  readonly Exact: number;
  readonly sMOS: number;
  readonly sMUS: number;
  readonly AOR: number;
  readonly AUR: number;
}
export const SCORE_NAMES = ['SCS', 'Exact', 'sMOS', 'sMUS', 'AOR', 'AUR'] as const;
export type ScoreName = (typeof SCORE_NAMES)[number];

/** Over-use O and under-use U of a response: sums of the ranks by which atoms exceed or fall short of their ideal level. */
export function useTotals(atoms: readonly AtomUse[]): { readonly over: number; readonly under: number } {
  let [over, under] = [0, 0];
  for (const { ideal, actual } of atoms) {
    const gap = LEVELS.indexOf(actual) - LEVELS.indexOf(ideal);
    if (gap > 0) over += gap;
    else under -= gap;
  }
  return { over, under };
}

/** SCS = 0.5^(O+U), Exact = [O+U = 0], sMOS = 1 − 0.5^O, sMUS = 1 − 0.5^U, AOR = [O > 0], AUR = [U > 0]. */
export function scoreResponse(atoms: readonly AtomUse[]): ResponseScores {
  const { over, under } = useTotals(atoms);
  return {
    SCS: 0.5 ** (over + under),
    Exact: over + under === 0 ? 1 : 0,
    sMOS: 1 - 0.5 ** over,
    sMUS: 1 - 0.5 ** under,
    AOR: over > 0 ? 1 : 0,
    AUR: under > 0 ? 1 : 0,
  };
}
