/** What the launch rule knows of one domain. */
export interface LaunchState {
  readonly target: number;
  /** Kept by the fold so far. */
  readonly kept: number;
  /** Accepted beyond the point where the fold stands: they will be kept unless they are near-duplicates. */
  readonly acceptedAhead: number;
  /** Candidates with a final verdict, and how many of them were accepted: the yield. */
  readonly verdicts: number;
  readonly accepted: number;
  /** Candidates in flight. */
  readonly inFlight: number;
  readonly chunkSize: number;
  readonly window: number;
}

/** Yield assumed until this many verdicts are there. */
export const PRIOR_YIELD = 0.2;
export const PRIOR_VERDICTS = 50;

const Z = 1.959_963_984_540_054;

/** Lower end of the Wilson 95 % interval of a rate; 0 without trials. */
export function wilsonLower(successes: number, trials: number): number {
  if (trials === 0) return 0;
  const p = successes / trials;
  const z2 = Z * Z;
  const centre = p + z2 / (2 * trials);
  const spread = Z * Math.sqrt((p * (1 - p)) / trials + z2 / (4 * trials * trials));
  return Math.max(0, (centre - spread) / (1 + z2 / trials));
}

/** The yield to reckon with: the prior until there are enough verdicts, then the Wilson lower bound. */
export function reckonedYield(state: Pick<LaunchState, 'verdicts' | 'accepted'>): number {
  return state.verdicts < PRIOR_VERDICTS ? PRIOR_YIELD : wilsonLower(state.accepted, state.verdicts);
}

/**
 * How many more candidates may be started now (DESIGN §4): never more than need ÷ yield in flight, so that the last chunks shrink.
 * A yield of 0 after many verdicts still lets one chunk run at a time: the source may be worse than its beginning, never hopeless.
 */
export function mayLaunch(state: LaunchState): number {
  const need = state.target - state.kept - state.acceptedAhead;
  if (need <= 0) return 0;
  const yieldNow = reckonedYield(state);
  const wanted = yieldNow > 0 ? Math.ceil(need / yieldNow) : state.chunkSize;
  return Math.max(0, Math.min(wanted, state.window * state.chunkSize) - state.inFlight);
}

/** The farthest position (exclusive) that may be started, given the oldest candidate without a final verdict. */
export function launchHorizon(oldestOpen: number, state: Pick<LaunchState, 'chunkSize' | 'window'>): number {
  return oldestOpen + state.window * state.chunkSize;
}
