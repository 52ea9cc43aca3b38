import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import type { ScreenedRow } from './duplicates.ts';

/** Where a row fell out before the order of candidates: reading it, deterministic screening, or as a duplicate. */
export const INGEST_STAGES = ['read', 'screening', 'duplicates'] as const;
export type IngestStage = (typeof INGEST_STAGES)[number];

/** Hears of every row on its way through ingest; counts what it wants and keeps little. */
export interface IngestObserver {
  /** A row that an adapter made, before screening. */
  readonly adapted: (row: SourceRow) => void;
  /** A row that fell out; `row` is null when no adapter could make one, `representative` is the row that a duplicate repeats. */
  readonly rejected: (stage: IngestStage, rejection: RowRejection, row: SourceRow | null, representative: SourceRow | null) => void;
  readonly kept: (item: ScreenedRow) => void;
}
