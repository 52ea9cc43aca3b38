/** Agreement of two raters over ordered categories. κ values are null with a reason where they are not defined. */
export interface Agreement {
  /** Observed and chance agreement; null without ratings. */
  readonly observed: number | null;
  readonly chance: number | null;
  readonly kappa: number | null;
  readonly linear: number | null;
  readonly quadratic: number | null;
  readonly reason: string | null;
}

function kappaOf({ observed, chance }: { readonly observed: number; readonly chance: number }): number {
  return 1 - observed / chance;
}

/** Cohen's κ (nominal, linearly and quadratically weighted) of a square table of counts: rows one rater, columns the other. */
export function agreement(table: readonly (readonly number[])[]): Agreement {
  const size = table.length;
  const total = table.flat().reduce((a, b) => a + b, 0);
  if (total === 0) return { observed: null, chance: null, kappa: null, linear: null, quadratic: null, reason: 'no ratings' };
  const rows = table.map((row) => row.reduce((a, b) => a + b, 0));
  const columns = table.map((_, at) => table.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const weighted = (weight: (distance: number) => number): { readonly observed: number; readonly chance: number } => {
    let [observed, chance] = [0, 0];
    table.forEach((row, i) =>
      columns.forEach((column, j) => {
        const w = weight(Math.abs(i - j));
        observed += (w * (row[j] ?? 0)) / total;
        chance += (w * (rows[i] ?? 0) * column) / total ** 2;
      }),
    );
    return { observed, chance };
  };
  const disagreement = weighted((distance) => (distance > 0 ? 1 : 0));
  const base = { observed: 1 - disagreement.observed, chance: 1 - disagreement.chance };
  if (disagreement.chance === 0) return { ...base, kappa: null, linear: null, quadratic: null, reason: 'chance agreement is 1' };
  return {
    ...base,
    kappa: kappaOf(disagreement),
    linear: kappaOf(weighted((distance) => distance / (size - 1))),
    quadratic: kappaOf(weighted((distance) => (distance / (size - 1)) ** 2)),
    reason: null,
  };
}
