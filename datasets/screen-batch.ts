import type { PackedRow, PackedRows } from '../schemas/row-shelf.ts';
import { HASH_BYTES } from '../schemas/row-shelf.ts';
import { sha256Hex } from '../schemas/hash.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import { words } from '../stages/text/words.ts';
import type { AdapterResult } from './adapters/adapter.ts';
import { candidateId } from './candidate-order.ts';
import type { IngestObserver } from './ingest-observer.ts';
import { createBandKeys, type BandKeys } from './band-keys.ts';
import { screenRow, type ScreeningParams } from './screening/screen-row.ts';

/** What the comparison and the order of all rows need to know of rows that passed, by column: no text, so that a million fit. */
export interface PassedColumns {
  /** Ids of the candidates they may become. */
  readonly ids: string[];
  readonly sourceIds: string[];
  readonly domains: string[];
  readonly files: string[];
  readonly fileRows: number[];
  /** Tree or dialogue of which one row is taken; null where every row may stand. */
  readonly units: (string | null)[];
  /** Digest of domain and word sequence of the question: equal for equal questions; 32 hexadecimal digits. */
  readonly questionKeys: string[];
  readonly scores: number[];
  readonly topics: string[];
  readonly complexities: string[];
  /** Signal families, joined by commas. */
  readonly signals: string[];
  /** Identifiers masked, as JSON by kind; empty when none. */
  readonly masked: string[];
}

/** What screening left of some rows, in the order in which they were read; plain data, so that it may come from another thread. */
export interface ScreenedBatch {
  readonly rejections: readonly RowRejection[];
  readonly passed: PassedColumns;
  /** Near-duplicate keys of all questions, one after another, and how many each has. */
  readonly keys: Uint32Array;
  readonly keyCounts: Uint8Array;
  readonly rows: PackedRows;
  readonly questions: readonly string[];
}

/** What screening of many rows depends on. */
export interface BatchParams extends ScreeningParams {
  readonly nearDuplicateJaccard: number;
}

/** Screens rows, some at a time. */
export interface Screener {
  /** Verdicts come in the order of the results. */
  readonly screen: (results: readonly AdapterResult[]) => Promise<ScreenedBatch> | ScreenedBatch;
}

function emptyColumns(): PassedColumns {
  return {
    ids: [],
    sourceIds: [],
    domains: [],
    files: [],
    fileRows: [],
    units: [],
    questionKeys: [],
    scores: [],
    topics: [],
    complexities: [],
    signals: [],
    masked: [],
  };
}

/** Rows that passed, gathered one by one. */
class Gathered {
  readonly rejections: RowRejection[] = [];
  readonly #passed = emptyColumns();
  readonly #keys: number[] = [];
  readonly #keyCounts: number[] = [];
  readonly #packed: PackedRow[] = [];
  readonly #questions: string[] = [];

  add(verdict: Extract<ReturnType<typeof screenRow>, { ok: true }>, keys: BandKeys, pack: (row: SourceRow) => PackedRow): void {
    const { row, measures, masked } = verdict;
    const { question, groupKey, domain, origin } = row;
    const passed = this.#passed;
    passed.ids.push(candidateId(row.sourceDataset, row.sourceId));
    passed.sourceIds.push(row.sourceId);
    passed.domains.push(domain);
    passed.files.push(origin.file);
    passed.fileRows.push(origin.row);
    passed.units.push(/^(?:oasst|ultrachat):/.test(groupKey) ? groupKey : null);
    passed.questionKeys.push(sha256Hex(`${domain}:${words(question).join(' ')}`).slice(0, 32));
    passed.scores.push(measures.qualityScore);
    passed.topics.push(measures.topic);
    passed.complexities.push(measures.complexity);
    passed.signals.push(measures.signalFamilies.join());
    passed.masked.push(Object.keys(masked).length === 0 ? '' : JSON.stringify(masked));
    const count = keys.read(question);
    for (let at = 0; at < count; at += 1) this.#keys.push(keys.keys[at] as number);
    this.#keyCounts.push(count);
    this.#packed.push(pack(row));
    this.#questions.push(question);
  }

  batch(): ScreenedBatch {
    return {
      rejections: this.rejections,
      passed: this.#passed,
      keys: Uint32Array.from(this.#keys),
      keyCounts: Uint8Array.from(this.#keyCounts),
      rows: joinRows(this.#packed),
      questions: this.#questions,
    };
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
      const gathered = new Gathered();
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
