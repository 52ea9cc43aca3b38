import { STEPS } from '../../schemas/steps.ts';
import type { StepId } from '../../schemas/steps.ts';
import { STEP_READS } from '../step-reads.ts';

/**
 * What a build does with one step of one candidate: `reused` its verdict stands; `free` it is decided anew from stored replies, at no call;
 * `runs` it is the first that must ask; `mayRun` it follows one whose output may change; `unreached` the candidate ends before it.
 */
export const NEEDS = ['reused', 'free', 'runs', 'mayRun', 'unreached'] as const;
export type Need = (typeof NEEDS)[number];

/** What is known of a candidate before anything is asked. */
export interface Known {
  /** Steps whose verdict stands or follows from stored replies, in order, up to the first that must ask. */
  readonly settled: readonly { readonly step: StepId; readonly need: 'reused' | 'free' }[];
  /** The first step that must ask; null when the candidate's end is known. */
  readonly first: StepId | null;
  /** Steps that had an accepted output before; they may stand when nothing they read changes. */
  readonly had: ReadonlySet<StepId>;
  /** The step that rejected it before; that verdict stands when nothing it reads changes. */
  readonly rejectedAt: StepId | null;
  /** Steps whose version is not the one those outputs were made under. */
  readonly changed: ReadonlySet<StepId>;
}

/**
 * The planner's rule for one candidate (DESIGN §5): verdicts stand up to the first step that must ask; after it a step may run when it
 * reads an output that may change, when its own version changed, or when it never ran; the rest is reused if the candidate gets there.
 */
export function needsOf(known: Known): ReadonlyMap<StepId, Need> {
  const needs = new Map<StepId, Need>(known.settled.map(({ step, need }) => [step, need]));
  if (known.first === null) {
    for (const step of STEPS) if (!needs.has(step)) needs.set(step, 'unreached');
    return needs;
  }
  const open = new Set<StepId>([known.first]);
  needs.set(known.first, 'runs');
  let ended = false;
  for (const step of STEPS.slice(STEPS.indexOf(known.first) + 1)) {
    const decided = known.had.has(step) || known.rejectedAt === step;
    const stands = decided && !known.changed.has(step) && !STEP_READS[step].some((read) => open.has(read));
    needs.set(step, ended ? 'unreached' : stands ? 'reused' : 'mayRun');
    if (!stands) open.add(step);
    ended ||= stands && known.rejectedAt === step;
  }
  return needs;
}

/** Whether a candidate is rejected whatever the steps that must ask answer: a later rejection stands. */
export function isSureToFall(needs: ReadonlyMap<StepId, Need>): boolean {
  return [...needs.values()].includes('unreached');
}

/** Rates that expectations rest on; 1 where nothing was seen yet. */
export interface Rates {
  /** How often a step, decided again, comes to another output. */
  readonly change: (step: StepId) => number;
  /** How often a step accepts. */
  readonly accept: (step: StepId) => number;
  /** How many of the candidates that may run a step did, where that was measured on a sample; null elsewhere. */
  readonly ran?: (step: StepId) => number | null;
}

/** How likely each step of a candidate runs, and that the candidate is accepted in the end. */
export interface Expectation {
  readonly runs: ReadonlyMap<StepId, number>;
  readonly accepted: number;
}

/** Follows a candidate that must ask: an output equal to the old one stops the wave there, a rejection ends the candidate. */
export function expectationOf(known: Known, needs: ReadonlyMap<StepId, Need>, rates: Rates): Expectation {
  const runs = new Map<StepId, number>();
  const differs = new Map<StepId, number>();
  let reach = 1;
  for (const step of STEPS) {
    const need = needs.get(step);
    if (need !== 'runs' && need !== 'mayRun') continue;
    const mustRun = need === 'runs' || known.changed.has(step) || !known.had.has(step);
    // What a wave changes it changes because of its first step: the chances of the outputs read are nested, not independent.
    const measured = mustRun ? null : (rates.ran?.(step) ?? null);
    const share = mustRun ? 1 : (measured ?? Math.max(0, ...STEP_READS[step].map((read) => differs.get(read) ?? 0)));
    const change = known.had.has(step) ? rates.change(step) : 1;
    // What was measured counts the candidates that never came so far as well.
    runs.set(step, measured ?? reach * share);
    differs.set(step, share * change);
    reach *= 1 - share * change * (1 - rates.accept(step));
  }
  return { runs, accepted: isSureToFall(needs) ? 0 : reach };
}
