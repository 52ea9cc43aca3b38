/** Yield assumed until a domain has enough verdicts of its own. */
export const PRIOR_YIELD = 0.2;
/** Verdicts after which the observed yield replaces the prior. */
export const VERDICTS_BEFORE_YIELD = 50;
const Z_95 = 1.959963984540054;

/** Where a domain stands when the next candidates are to be launched. */
export interface LaunchState {
  /** Examples still missing from the quota, those accepted ahead of the fold already taken off. */
  readonly need: number;
  /** Candidates with a final verdict, and how many of them were accepted. */
  readonly verdicts: number;
  readonly accepted: number;
  /** Launched and without a final verdict. */
  readonly inFlight: number;
  /** Position of the oldest candidate without a final verdict; the next position to launch when there is none. */
  readonly oldestOpen: number;
  /** Next position to launch. */
  readonly next: number;
  /** Candidates of the domain in all. */
  readonly supply: number;
  readonly window: number;
  readonly chunkSize: number;
  /** How many open candidates are to be in flight, where earlier ends tell it; the yield decides otherwise. */
  readonly wanted?: number;
}

/** How many candidates may start now, and what holds back more. */
export interface Launch {
  readonly count: number;
  readonly limitedBy: 'need' | 'window' | 'supply';
}

/** Lower bound of the Wilson 95 % interval of a rate; 0 without trials. */
export function wilsonLowerBound(successes: number, trials: number): number {
  if (trials <= 0) return 0;
  const rate = successes / trials;
  const z2 = Z_95 * Z_95;
  const centre = rate + z2 / (2 * trials);
  const spread = Z_95 * Math.sqrt((rate * (1 - rate) + z2 / (4 * trials)) / trials);
  return Math.max(0, (centre - spread) / (1 + z2 / trials));
}

/** The yield to plan with: cautious, so that the last chunks shrink to what is needed. */
export function plannedYield(accepted: number, verdicts: number): number {
  return verdicts < VERDICTS_BEFORE_YIELD ? PRIOR_YIELD : wilsonLowerBound(accepted, verdicts);
}

/** Candidates whose launch DESIGN §4 allows: no further than window × chunk behind the oldest open one, and no more than need ÷ yield in flight. */
export function launchable(state: LaunchState): Launch {
  const yieldRate = plannedYield(state.accepted, state.verdicts);
  const byYield = state.need <= 0 ? 0 : yieldRate > 0 ? Math.ceil(state.need / yieldRate) : Number.POSITIVE_INFINITY;
  const limits: readonly (readonly [Launch['limitedBy'], number])[] = [
    ['need', (state.wanted ?? byYield) - state.inFlight],
    ['supply', state.supply - state.next],
    ['window', state.oldestOpen + state.window * state.chunkSize - state.next],
  ];
  const [limitedBy, room] = limits.reduce((least, limit) => (limit[1] < least[1] ? limit : least));
  return { count: Math.max(0, room), limitedBy };
}

/**
 * How many of the next candidates are enough when each ends as it did before an edit (null: it never ended); null when they are not.
 * So a rebuild works first on what the last one worked on, and reaches for candidates it never saw only when that falls short.
 */
export function repeatReach(need: number, ends: readonly ('accepted' | 'rejected' | null)[]): number | null {
  let hoped = 0;
  for (const [index, end] of ends.entries()) {
    if (hoped >= need) return index;
    if (end === 'accepted') hoped += 1;
  }
  return hoped >= need ? ends.length : null;
}

/** Size of the next chunk, 0 to wait: full while the window alone holds back, smaller only when need or supply ends. */
export function nextChunkSize(state: LaunchState): number {
  const { count, limitedBy } = launchable(state);
  return limitedBy === 'window' && count < state.chunkSize ? 0 : Math.min(count, state.chunkSize);
}
