const Z_95 = 1.959963984540054;

/** Wilson score interval of a share at 95 %, as fractions; null without trials. */
export function wilson(
  successes: number,
  trials: number,
  z: number = Z_95,
): { readonly share: number; readonly low: number; readonly high: number } | null {
  if (trials === 0) return null;
  const share = successes / trials;
  const square = (z * z) / trials;
  const centre = (share + square / 2) / (1 + square);
  const half = (z / (1 + square)) * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials));
  return { share, low: successes === 0 ? 0 : centre - half, high: successes === trials ? 1 : centre + half };
}

/** Accuracy over atoms with its standard error as if atoms were independent and clustered by response, and the ratio of their variances. */
export function clusteredAccuracy(right: readonly (readonly boolean[])[]): {
  readonly accuracy: number | null;
  readonly naive: number | null;
  readonly clustered: number | null;
  readonly designEffect: number | null;
} {
  const clusters = right.filter((atoms) => atoms.length > 0);
  const atoms = clusters.flat();
  const n = atoms.length;
  if (n === 0) return { accuracy: null, naive: null, clustered: null, designEffect: null };
  const accuracy = atoms.filter(Boolean).length / n;
  if (n < 2 || clusters.length < 2) return { accuracy, naive: null, clustered: null, designEffect: null };
  const naive = Math.sqrt((accuracy * (1 - accuracy)) / (n - 1));
  const residuals = clusters.map((cluster) => cluster.reduce((sum, isRight) => sum + (isRight ? 1 : 0) - accuracy, 0));
  const scale = clusters.length / (clusters.length - 1);
  const clustered = Math.sqrt(scale * residuals.reduce((sum, residual) => sum + residual ** 2, 0)) / n;
  return { accuracy, naive, clustered, designEffect: naive === 0 ? null : (clustered / naive) ** 2 };
}
