import {
  HASH_BYTES,
  type BatchNote,
  type LastingShelf,
  type NotedBatch,
  type PackedRow,
  type PackedRows,
  type PlacedRows,
} from '../schemas/row-shelf.ts';
import type { SourceRow } from '../schemas/source-row.ts';
import { deflateRawSync } from 'node:zlib';
import { deflateBody, inflateBody } from './bodies.ts';
import { rowsByNumber } from './number-ranges.ts';
import type { Database } from './duckdb.ts';
import { StoreError } from './errors.ts';
import { loadKeyIndex, type KeyIndex } from './key-index.ts';
import { rowContent } from './row-content.ts';
import { bytesOrNull, number, text, type ResultRow } from './rows.ts';
import { defineTable, insertInto } from './table.ts';
import type { TextRepairs } from './text.ts';

const SOURCE_ROWS = defineTable('source_rows', { row_no: 'int', row_hash: 'text', body: 'blob' });

const SCREENED_UNITS = defineTable('screened_units', { unit_no: 'int', key: 'text', facts: 'text' });
const SCREENED_BATCHES = defineTable('screened_batches', {
  unit_no: 'int',
  batch_no: 'int',
  row_nos: 'text',
  hashes: 'blob',
  facts: 'blob',
  keys: 'blob',
});
const BATCHES_A_PAGE = 64;
/** Batches whose rows are looked for in the table itself; an index of all rows pays only for more. */
const BATCHES_LOOKED_UP = 16;
const QUESTIONS_A_PAGE = 4096;

function batchRow({ unit, batch, facts, numbers }: BatchNote, rowNos: Int32Array) {
  return {
    unit_no: unit,
    batch_no: batch,
    row_nos: rowNos.join(),
    // The hashes of the rows stand beside them.
    hashes: null,
    facts: deflateRawSync(facts, { level: 1 }),
    // Little-endian on every machine that DuckDB runs on.
    keys: new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
  };
}

function notedBatch(row: ResultRow): NotedBatch {
  // Copied: the bytes may lie anywhere in a buffer of others.
  const numbers = new Uint8Array(bytesOrNull(row, 'keys') ?? []);
  const rowNos = text(row, 'row_nos');
  return {
    rowNos: rowNos === '' ? new Int32Array(0) : Int32Array.from(rowNos.split(','), Number),
    facts: inflateBody(bytesOrNull(row, 'facts') ?? new Uint8Array(0))?.toString('utf8') ?? '',
    numbers: new Uint32Array(numbers.buffer),
  };
}

function questionOf(row: ResultRow): string {
  const body = bytesOrNull(row, 'body');
  const plain = body === null ? null : inflateBody(body);
  if (plain !== null) return (JSON.parse(plain.toString('utf8')) as SourceRow).question;
  throw lostRow(number(row, 'row_no'));
}

function lostRow(rowNo: number): StoreError {
  return new StoreError(
    'corrupt_body',
    `The stored source row number ${rowNo} cannot be read; put back a copy of the project folder, then type \`memcalib plan\`.`,
  );
}

/** Packs a row as the store keeps it: deflated, without its place, under the hash of its content. */
export function packSourceRow(row: SourceRow): PackedRow {
  const { content, rowHash } = rowContent(row);
  return { hash: Buffer.from(rowHash, 'hex'), body: deflateBody(Buffer.from(JSON.stringify(content))) };
}

/** The rows of the store, each once by its content: rows that no order names yet are seen by nobody. */
export class StoredRows implements LastingShelf {
  private readonly database: Database;
  private readonly repairs: TextRepairs;
  private last: Promise<unknown> = Promise.resolve();
  private lastUnit = 0;
  private leastRow = 0;
  /** Numbers by hash; held only while many rows come in. */
  private index: KeyIndex | null = null;
  /** The number of the next new row; null until it is read. */
  private next: number | null = null;
  private lookedUp = 0;

  constructor(database: Database, repairs: TextRepairs) {
    this.database = database;
    this.repairs = repairs;
  }

  readonly keep = (rows: PackedRows, note?: BatchNote): Promise<Int32Array> => this.afterOthers(() => this.store(rows, note));

  readonly beginUnit = (): Promise<number> =>
    this.afterOthers(async () => {
      const [last] = await this.database.read(`SELECT greatest(${this.lastUnit}, (SELECT coalesce(max(unit_no), 0) FROM screened_batches),
        (SELECT coalesce(max(unit_no), 0) FROM screened_units))::INTEGER + 1 AS next`);
      this.lastUnit = last === undefined ? 1 : number(last, 'next');
      return this.lastUnit;
    });

  readonly endUnit = (unit: number, key: string, facts: string): Promise<void> =>
    this.afterOthers(() => this.database.write([insertInto(SCREENED_UNITS, [{ unit_no: unit, key, facts }], this.repairs)]));

  readonly findUnit = async (key: string): Promise<{ readonly unit: number; readonly facts: string } | null> => {
    const [row] = await this.database.read('SELECT unit_no, facts FROM screened_units WHERE key = $1 LIMIT 1', [key]);
    return row === undefined ? null : { unit: number(row, 'unit_no'), facts: text(row, 'facts') };
  };

  readonly hasUnits = async (): Promise<boolean> => (await this.database.read('SELECT 1 AS one FROM screened_units LIMIT 1')).length > 0;

  readonly nextNumber = (least: number): Promise<number> =>
    this.afterOthers(async () => {
      this.leastRow = Math.max(this.leastRow, least);
      return this.readNext();
    });

  async *batches(unit: number): AsyncGenerator<NotedBatch> {
    for (let from = 0; ; from += BATCHES_A_PAGE) {
      const page = await this.database.read(
        `SELECT row_nos, facts, keys FROM screened_batches
         WHERE unit_no = ${unit} AND batch_no >= ${from} AND batch_no < ${from + BATCHES_A_PAGE} ORDER BY batch_no`,
      );
      if (page.length === 0) return;
      for (const row of page) yield notedBatch(row);
    }
  }

  readonly questions = async (rowNos: readonly number[]): Promise<readonly string[]> => {
    const wanted = [...new Set(rowNos)].sort((a, b) => a - b);
    const byNumber = new Map<number, string>();
    for (let from = 0; from < wanted.length; from += QUESTIONS_A_PAGE) {
      const rows = await rowsByNumber(this.database, 'source_rows', 'row_no', 'row_no, body', wanted.slice(from, from + QUESTIONS_A_PAGE));
      for (const row of rows) byNumber.set(number(row, 'row_no'), questionOf(row));
    }
    return rowNos.map((rowNo) => {
      const question = byNumber.get(rowNo);
      if (question === undefined) throw lostRow(rowNo);
      return question;
    });
  };

  readonly clusters = async (): Promise<Uint8Array | null> => {
    const [row] = await this.database.read(
      'SELECT body FROM order_clusters WHERE load_no = (SELECT load_no FROM orders ORDER BY order_no DESC LIMIT 1)',
    );
    const body = row === undefined ? null : bytesOrNull(row, 'body');
    return body === null ? null : inflateBody(body);
  };

  readonly placed = async (): Promise<PlacedRows | null> => {
    const [order] = await this.database.read('SELECT id, load_no FROM orders ORDER BY order_no DESC LIMIT 1');
    if (order === undefined) return null;
    const loadNo = number(order, 'load_no');
    const units = await this.database.read(`SELECT unit_no FROM order_units WHERE load_no = ${loadNo}`);
    if (units.length === 0) return null;
    const [last] = await this.database.read(`SELECT coalesce(max(row_no), 0) AS last FROM candidates WHERE load_no = ${loadNo}`);
    const bits = new Uint8Array(((last === undefined ? 0 : number(last, 'last')) >> 3) + 1);
    await this.database.scan(`SELECT row_no FROM candidates WHERE load_no = ${loadNo}`, ([rowNos = []]) => {
      for (const rowNo of rowNos as readonly number[]) bits[rowNo >> 3] = (bits[rowNo >> 3] as number) | (1 << (rowNo & 7));
    });
    return { orderId: text(order, 'id'), units: new Set(units.map((row) => number(row, 'unit_no'))), rowNos: bits };
  };

  /** Gives back the memory that finding known rows takes; the next rows load it again. */
  readonly rest = (): Promise<void> =>
    this.afterOthers(async () => {
      this.forget();
    });

  private forget(): void {
    this.index = null;
    this.next = null;
    this.lookedUp = 0;
  }

  private afterOthers<T>(run: () => Promise<T>): Promise<T> {
    const done = this.last.then(run);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async store({ hashes, bodies, ends }: PackedRows, note: BatchNote | undefined): Promise<Int32Array> {
    const names = Array.from(ends, (_, at) => Buffer.from(hashes.buffer, hashes.byteOffset + at * HASH_BYTES, HASH_BYTES).toString('hex'));
    const known = await this.numbersOf(names);
    let next = await this.readNext();
    const fresh: { readonly row_no: number; readonly row_hash: string; readonly body: Uint8Array }[] = [];
    const numbers = Int32Array.from(names, (hash, at) => {
      const before = known.get(hash);
      if (before !== undefined) return before;
      known.set(hash, next);
      fresh.push({ row_no: next, row_hash: hash, body: bodies.subarray(at === 0 ? 0 : ends[at - 1], ends[at]) });
      next += 1;
      return next - 1;
    });
    this.next = next;
    try {
      const noted = note === undefined ? [] : [batchRow(note, numbers)];
      await this.database.write([insertInto(SOURCE_ROWS, fresh, this.repairs), insertInto(SCREENED_BATCHES, noted, this.repairs)]);
    } catch (error) {
      // The numbers given out stand for nothing: they are read anew.
      this.forget();
      throw error;
    }
    return numbers;
  }

  /** Numbers of rows that are stored, by hash; what is set in it is known later. */
  private async numbersOf(hashes: readonly string[]): Promise<Pick<KeyIndex, 'get' | 'set'>> {
    if (this.index !== null) return this.index;
    this.lookedUp += 1;
    if (this.lookedUp > BATCHES_LOOKED_UP) {
      this.index = await loadKeyIndex(this.database, 'source_rows', 'row_no', 'row_hash');
      return this.index;
    }
    const rows = await this.database.read('SELECT row_no, row_hash FROM source_rows WHERE row_hash IN (SELECT unnest($1))', [hashes]);
    return new Map(rows.map((row) => [text(row, 'row_hash'), number(row, 'row_no')]));
  }

  private async readNext(): Promise<number> {
    if (this.next === null) {
      const [last] = await this.database.read('SELECT coalesce(max(row_no), -1) + 1 AS next FROM source_rows');
      this.next = last === undefined ? 0 : number(last, 'next');
    }
    this.next = Math.max(this.next, this.leastRow);
    return this.next;
  }
}
