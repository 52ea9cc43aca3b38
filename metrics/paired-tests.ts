import { seededUniforms } from '../schemas/hash.ts';

/** McNemar's test of b against c discordant pairs: exact two-sided p and mid-p; 1 without discordant pairs. */
export function mcnemar(b: number, c: number): { readonly exactP: number; readonly midP: number } {
  const n = b + c;
  let logTerm = -n * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let k = 1; k <= Math.min(b, c); k++) {
    logTerm += Math.log((n - k + 1) / k);
    tail += Math.exp(logTerm);
  }
  const last = Math.exp(logTerm);
  if (b === c) return { exactP: 1, midP: n === 0 ? 1 : 1 - last };
  return { exactP: Math.min(1, 2 * tail), midP: 2 * tail - last };
}

function differences(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length !== b.length || a.length === 0) throw new RangeError(`paired test: ${a.length} examples against ${b.length}`);
  return a.map((value, at) => value - (b[at] ?? 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const EXACT_UP_TO = 20;

/**
 * Sign-flip test of the mean difference between two systems over examples (seed means per example, so examples are the clusters).
 * Exact up to 20 examples that differ, else by seeded draws with the observed one counted in.
 */
export function signFlipTest(
  a: readonly number[],
  b: readonly number[],
  { seed, draws = 10_000 }: { readonly seed: string; readonly draws?: number },
): { readonly meanDifference: number; readonly p: number; readonly exact: boolean } {
  const all = differences(a, b);
  const nonZero = all.filter((value) => value !== 0);
  const observed = Math.abs(nonZero.reduce((x, y) => x + y, 0)) - 1e-12;
  const meanDifference = mean(all);
  let extreme = 0;
  if (nonZero.length <= EXACT_UP_TO) {
    const flips = 2 ** nonZero.length;
    for (let mask = 0; mask < flips; mask++) {
      const sum = nonZero.reduce((total, value, at) => total + ((mask >> at) & 1 ? value : -value), 0);
      if (Math.abs(sum) >= observed) extreme += 1;
    }
    return { meanDifference, p: extreme / flips, exact: true };
  }
  const uniform = seededUniforms('sign-flip', seed);
  for (let draw = 0; draw < draws; draw++) {
    const sum = nonZero.reduce((total, value) => total + (uniform() < 0.5 ? value : -value), 0);
    if (Math.abs(sum) >= observed) extreme += 1;
  }
  return { meanDifference, p: (extreme + 1) / (draws + 1), exact: false };
}

/** Percentile interval at 95 % of the mean difference, examples redrawn with replacement from a seed. */
export function pairedBootstrap(
  a: readonly number[],
  b: readonly number[],
  { seed, draws = 10_000 }: { readonly seed: string; readonly draws?: number },
): { readonly meanDifference: number; readonly low: number; readonly high: number } {
  const all = differences(a, b);
  const uniform = seededUniforms('paired-bootstrap', seed);
  const means = Float64Array.from({ length: draws }, () => {
    let sum = 0;
    for (let pick = 0; pick < all.length; pick++) sum += all[Math.floor(uniform() * all.length)] ?? 0;
    return sum / all.length;
  }).sort();
  return { meanDifference: mean(all), low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

/** Quantile of sorted values with linear interpolation at position (n − 1) p. */
function quantile(sorted: Float64Array, p: number): number {
  const position = (sorted.length - 1) * p;
  const below = Math.floor(position);
  const low = sorted[below] ?? Number.NaN;
  return low + (position - below) * ((sorted[below + 1] ?? low) - low);
}

/** Holm's adjusted p values of a family, in the order given. */
export function holm(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((p, at) => ({ p, at })).sort((x, y) => x.p - y.p);
  const adjusted = pValues.map(() => 1);
  let highest = 0;
  order.forEach(({ p, at }, rank) => {
    highest = Math.max(highest, Math.min(1, (pValues.length - rank) * p));
    adjusted[at] = highest;
  });
  return adjusted;
}
