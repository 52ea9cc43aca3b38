import { z } from 'zod';
import { COMPLEXITIES } from './domains.ts';
import { Domain } from './levels.ts';
import { SourceRow } from './source-row.ts';

export { COMPLEXITIES };

/** Everything deterministic screening measured on a row (RULES); shown per row, used for strata. */
export const RowMeasures = z.strictObject({
  qualityScore: z.int().min(0).max(100),
  topic: z.string(),
  complexity: z.enum(COMPLEXITIES),
  signalFamilies: z.array(z.string()),
});
export type RowMeasures = z.infer<typeof RowMeasures>;

/** A screened row at its place in the seeded, stratified order of its domain (DESIGN §4). */
export const Candidate = z.strictObject({
  /** Neutral: 16 hexadecimal digits from hash(source dataset, source id). Also the id of the example it may become. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  domain: Domain,
  /** 0-based place in the order of the domain. */
  position: z.int().nonnegative(),
  stratum: z.string(),
  row: SourceRow,
  measures: RowMeasures,
});
export type Candidate = z.infer<typeof Candidate>;

/** A candidate whose row was put aside before: its number there, and what is asked of it without reading it. */
export interface PlacedCandidate extends Omit<Candidate, 'row'>, Pick<SourceRow, 'source' | 'sourceId' | 'origin'> {
  readonly rowNo: number;
}
