import type { RowMeasures } from '../schemas/candidate.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';

/** Where a row fell out before the order of candidates: reading it, deterministic screening, or as a duplicate. */
export const INGEST_STAGES = ['read', 'screening', 'duplicates'] as const;
export type IngestStage = (typeof INGEST_STAGES)[number];

/** A row that passed deterministic screening, with the id of the candidate it may become. */
export interface ScreenedRow {
  readonly id: string;
  readonly row: SourceRow;
  readonly measures: RowMeasures;
  /** Identifiers masked in it, by kind. */
  readonly masked: Readonly<Record<string, number>>;
}

/** Hears of every row on its way through ingest; counts what it wants and keeps little. */
export interface IngestObserver {
  /** A row that an adapter made, before screening. */
  readonly adapted: (row: SourceRow) => void;
  /** A row that fell out; `row` is null when no adapter could make one, `representative` is the row that a duplicate repeats. */
  readonly rejected: (stage: IngestStage, rejection: RowRejection, row: SourceRow | null, representative: SourceRow | null) => void;
  readonly kept: (item: ScreenedRow) => void;
}
