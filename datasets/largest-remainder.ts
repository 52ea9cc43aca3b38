/**
 * Whole numbers in the ratio of `weights` that sum to `total`: floors first, the rest to the largest remainders.
 * Equal remainders are settled by `tieBreak` (smaller first), else by position.
 */
export function largestRemainder(
  total: number,
  weights: readonly number[],
  tieBreak: (at: number) => string | number = (at) => at,
): readonly number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (total * weight) / sum);
  const floors = exact.map((share) => Math.floor(share + 1e-9));
  const left = total - floors.reduce((a, b) => a + b, 0);
  const remainder = (at: number): number => (exact[at] ?? 0) - (floors[at] ?? 0);
  const order = weights
    .map((_, at) => at)
    .filter((at) => (weights[at] ?? 0) > 0)
    .sort((a, b) => {
      const gap = remainder(b) - remainder(a);
      if (Math.abs(gap) > 1e-9) return gap;
      return tieBreak(a) < tieBreak(b) ? -1 : 1;
    });
  for (const at of order.slice(0, left)) floors[at] = (floors[at] ?? 0) + 1;
  return floors;
}

/** Totals of named parts in given ratios, e.g. 300 in 13,500 : 1,500 is 270 and 30 (SPEC §6). */
export function totalsInRatio<Part extends string>(total: number, ratios: Readonly<Record<Part, number>>): Readonly<Record<Part, number>> {
  const names = Object.keys(ratios) as Part[];
  const shares = largestRemainder(
    total,
    names.map((name) => ratios[name]),
  );
  return Object.fromEntries(names.map((name, at) => [name, shares[at] ?? 0])) as Record<Part, number>;
}
