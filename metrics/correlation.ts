function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** Pearson correlation; null when one side does not vary or there are fewer than two pairs. */
export function pearson(x: readonly number[], y: readonly number[]): number | null {
  if (x.length !== y.length) throw new RangeError(`pearson: ${x.length} values against ${y.length}`);
  const [meanX, meanY] = [mean(x), mean(y)];
  let [xx, yy, xy] = [0, 0, 0];
  x.forEach((value, at) => {
    const [dx, dy] = [value - meanX, (y[at] ?? 0) - meanY];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  });
  return xx === 0 || yy === 0 || x.length < 2 ? null : xy / Math.sqrt(xx * yy);
}

/** Ranks from 1; equal values share the mean of their ranks. */
export function ranks(values: readonly number[]): readonly number[] {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const found = values.map(() => 0);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && order[end]?.value === order[start]?.value) end += 1;
    for (const { at } of order.slice(start, end)) found[at] = (start + 1 + end) / 2;
    start = end;
  }
  return found;
}

/** Spearman correlation: Pearson of the ranks. */
export function spearman(x: readonly number[], y: readonly number[]): number | null {
  return pearson(ranks(x), ranks(y));
}
