import { contentStems } from '../text/words.ts';

/** Below this share of an atom's content words in its block the atom counts as lost: one repair turn naming it. */
export const COVERAGE_REPAIR = 0.6;
/** Below this share after the repair turn the example is rejected. */
export const COVERAGE_REJECT = 0.34;

/** An atom and the share of its content words that stands in the block. */
export interface AtomCoverage {
  /** 1-based number of the atom in its block. */
  readonly n: number;
  readonly share: number;
}

/** Atoms of a block whose content words (stems, stop words out) are covered below a threshold. */
export function lostAtoms(atoms: readonly string[], block: string, threshold: number): readonly AtomCoverage[] {
  const present = new Set(contentStems(block));
  return atoms
    .map((atom, index) => {
      const wanted = [...new Set(contentStems(atom))];
      return { n: index + 1, share: wanted.length === 0 ? 1 : wanted.filter((item) => present.has(item)).length / wanted.length };
    })
    .filter(({ share }) => share < threshold);
}
