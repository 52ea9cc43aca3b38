import { SCORE_NAMES, type ResponseScores, type ScoreName } from './response-scores.ts';

/** A mean in percent over the judged responses, and where it lies if the others were as bad or as good as can be. */
export interface BoundedMean {
  /** Null when nothing was judged: missing is never zero. */
  readonly mean: number | null;
  readonly worst: number;
  readonly best: number;
}

export interface ScoreSummary {
  readonly judged: number;
  readonly total: number;
  readonly scores: Readonly<Record<ScoreName, BoundedMean>>;
}

const HIGHER_IS_BETTER: ReadonlySet<ScoreName> = new Set(['SCS', 'Exact']);

/** Mean scores ×100 of one seed; `null` stands for a response without a valid judgment. Null when there is no response at all. */
export function summarizeScores(responses: readonly (ResponseScores | null)[]): ScoreSummary | null {
  const total = responses.length;
  if (total === 0) return null;
  const judged = responses.filter((scores) => scores !== null);
  const missing = total - judged.length;
  const bounded = (name: ScoreName): BoundedMean => {
    const sum = judged.reduce((all, scores) => all + scores[name], 0);
    const [low, high] = [(100 * sum) / total, (100 * (sum + missing)) / total];
    const [worst, best] = HIGHER_IS_BETTER.has(name) ? [low, high] : [high, low];
    return { mean: judged.length === 0 ? null : (100 * sum) / judged.length, worst, best };
  };
  const scores = Object.fromEntries(SCORE_NAMES.map((name) => [name, bounded(name)])) as Record<ScoreName, BoundedMean>;
  return { judged: judged.length, total, scores };
}

/** Mean and standard deviation over seeds (ddof 1: sample; 0: population). The deviation is null where it is not defined. */
export function meanAndStd(values: readonly number[], ddof: 0 | 1 = 1): { readonly mean: number | null; readonly std: number | null } {
  const n = values.length;
  if (n === 0) return { mean: null, std: null };
  const mean = values.reduce((a, b) => a + b, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, std: n - ddof < 1 ? null : Math.sqrt(squares / (n - ddof)) };
}
