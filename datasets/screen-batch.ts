import type { PackedRow, PackedRows } from '../schemas/row-shelf.ts';
import { HASH_BYTES } from '../schemas/row-shelf.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import type { AdapterResult } from './adapters/adapter.ts';
import type { IngestObserver } from './ingest-observer.ts';
import { createBandKeys, type BandKeys } from './band-keys.ts';
import { PassedBuilder, type PassedRow, type PassedRows } from './passed-rows.ts';
import { screenRow, type ScreeningParams } from './screening/screen-row.ts';

/** What screening left of some rows, in the order in which they were read; plain data, so that it may come from another thread. */
export interface ScreenedBatch {
  readonly rejections: readonly RowRejection[];
  readonly passed: PassedRows;
  readonly rows: PackedRows;
  readonly questions: readonly string[];
}

/** What screening of many rows depends on. */
export interface BatchParams extends ScreeningParams {
  readonly nearDuplicateJaccard: number;
  /** Of the order in which rows will stand. */
  readonly seed: string;
}

/** Screens rows, some at a time. */
export interface Screener {
  /** Verdicts come in the order of the results. */
  readonly screen: (results: readonly AdapterResult[]) => Promise<ScreenedBatch> | ScreenedBatch;
}

/** Rows that passed, gathered one by one. */
class Gathered {
  readonly rejections: RowRejection[] = [];
  readonly #passed: PassedBuilder;
  readonly #packed: PackedRow[] = [];
  readonly #questions: string[] = [];

  constructor(seed: string) {
    this.#passed = new PassedBuilder(seed);
  }

  add(verdict: PassedRow, keys: BandKeys, pack: (row: SourceRow) => PackedRow): void {
    const { row } = verdict;
    this.#passed.add(verdict, keys.keys, keys.read(row.question));
    this.#packed.push(pack(row));
    this.#questions.push(row.question);
  }

  batch(): ScreenedBatch {
    return { rejections: this.rejections, passed: this.#passed.end(), rows: joinRows(this.#packed), questions: this.#questions };
  }
}

function joinRows(packed: readonly PackedRow[]): PackedRows {
  const hashes = new Uint8Array(packed.length * HASH_BYTES);
  const ends = new Uint32Array(packed.length);
  let end = 0;
  packed.forEach(({ hash, body }, at) => {
    hashes.set(hash, at * HASH_BYTES);
    end += body.length;
    ends[at] = end;
  });
  const bodies = new Uint8Array(end);
  packed.forEach(({ body }, at) => bodies.set(body, (ends[at] ?? 0) - body.length));
  return { hashes, bodies, ends };
}

/** Opens a screener of this thread; `pack` makes of a row what its shelf keeps, `observer` hears of every row. */
export function createScreener(
  params: BatchParams,
  pack: (row: SourceRow) => PackedRow,
  observer?: IngestObserver,
): { readonly screen: (results: readonly AdapterResult[]) => ScreenedBatch } {
  const keys = createBandKeys(params.nearDuplicateJaccard);
  return {
    screen(results) {
      const gathered = new Gathered(params.seed);
      for (const result of results) {
        if (result.kind === 'rejected') {
          gathered.rejections.push(result.rejection);
          observer?.rejected('read', result.rejection, null, null);
          continue;
        }
        observer?.adapted(result.row);
        const verdict = screenRow(result.row, params);
        if (verdict.ok) {
          gathered.add(verdict, keys, pack);
          continue;
        }
        const { source, sourceDataset, sourceId, origin } = result.row;
        const rejection = { source, sourceDataset, sourceId, reason: verdict.reason, detail: verdict.detail, origin };
        gathered.rejections.push(rejection);
        observer?.rejected('screening', rejection, result.row, null);
      }
      return gathered.batch();
    },
  };
}
