import { HASH_BYTES, type PackedRow, type PackedRows, type RowShelf } from '../schemas/row-shelf.ts';
import type { SourceRow } from '../schemas/source-row.ts';
import { packBody } from './bodies.ts';
import type { Database } from './duckdb.ts';
import { loadKeyIndex, type KeyIndex } from './key-index.ts';
import { rowContent } from './row-content.ts';
import { number } from './rows.ts';
import { defineTable, insertInto } from './table.ts';
import type { TextRepairs } from './text.ts';

const SOURCE_ROWS = defineTable('source_rows', { row_no: 'int', row_hash: 'text', body: 'blob' });

/** Packs a row as the store keeps it: deflated, without its place, under the hash of its content. */
export function packSourceRow(row: SourceRow): PackedRow {
  const { content, rowHash } = rowContent(row);
  return { hash: Buffer.from(rowHash, 'hex'), body: packBody(Buffer.from(JSON.stringify(content))).body };
}

/** The rows of the store, each once by its content: rows that no order names yet are seen by nobody. */
export class StoredRows implements RowShelf {
  private readonly database: Database;
  private readonly repairs: TextRepairs;
  private last: Promise<unknown> = Promise.resolve();
  /** Numbers by hash; held only while rows come in. */
  private known: { readonly index: KeyIndex; next: number } | null = null;

  constructor(database: Database, repairs: TextRepairs) {
    this.database = database;
    this.repairs = repairs;
  }

  readonly keep = (rows: PackedRows): Promise<Int32Array> => this.afterOthers(() => this.store(rows));

  /** Gives back the memory that finding known rows takes; the next rows load it again. */
  readonly rest = (): Promise<void> =>
    this.afterOthers(async () => {
      this.known = null;
    });

  private afterOthers<T>(run: () => Promise<T>): Promise<T> {
    const done = this.last.then(run);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async store({ hashes, bodies, ends }: PackedRows): Promise<Int32Array> {
    this.known ??= await this.load();
    const { index } = this.known;
    const fresh = [];
    const numbers = new Int32Array(ends.length);
    for (let at = 0; at < ends.length; at += 1) {
      const hash = Buffer.from(hashes.buffer, hashes.byteOffset + at * HASH_BYTES, HASH_BYTES).toString('hex');
      let rowNo = index.get(hash);
      if (rowNo === undefined) {
        rowNo = this.known.next++;
        index.set(hash, rowNo);
        fresh.push({ row_no: rowNo, row_hash: hash, body: bodies.subarray(at === 0 ? 0 : ends[at - 1], ends[at]) });
      }
      numbers[at] = rowNo;
    }
    try {
      await this.database.write([insertInto(SOURCE_ROWS, fresh, this.repairs)]);
    } catch (error) {
      // The numbers given out stand for nothing: they are read anew.
      this.known = null;
      throw error;
    }
    return numbers;
  }

  private async load(): Promise<{ readonly index: KeyIndex; next: number }> {
    const index = await loadKeyIndex(this.database, 'source_rows', 'row_no', 'row_hash');
    const [last] = await this.database.read('SELECT coalesce(max(row_no), -1) + 1 AS next FROM source_rows');
    return { index, next: last === undefined ? 0 : number(last, 'next') };
  }
}
