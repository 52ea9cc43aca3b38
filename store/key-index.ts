import type { Database } from './duckdb.ts';
import { StoreError } from './errors.ts';

const FREE = -1;
const MIN_CAPACITY = 1024;
const KEY = /^[0-9a-f]{32,64}$/;

/**
 * Maps hexadecimal hashes, by their first 16 bytes, to row numbers, in 20 bytes per slot outside the JavaScript heap.
 * Two different SHA-256 hashes sharing 16 bytes is out of the question below 2^60 entries.
 */
export class KeyIndex {
  private words = new Uint32Array(MIN_CAPACITY * 4);
  private rows = new Int32Array(MIN_CAPACITY).fill(FREE);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The row number stored under a hash. */
  get(key: string): number | undefined {
    const [a, b, c, d] = wordsOf(key);
    const row = this.rows[this.slot(a, b, c, d)];
    return row === undefined || row === FREE ? undefined : row;
  }

  /** Stores a row number under a hash, replacing an earlier one. */
  set(key: string, row: number): void {
    const [a, b, c, d] = wordsOf(key);
    this.setWords(a, b, c, d, row);
  }

  /** Like `set`, for the four big-endian 32-bit words of the prefix. Returns the row number replaced, or -1. */
  setWords(a: number, b: number, c: number, d: number, row: number): number {
    if ((this.count + 1) * 2 > this.rows.length) this.grow();
    const slot = this.slot(a, b, c, d);
    const before = this.rows[slot] ?? FREE;
    if (before === FREE) {
      const from = slot * 4;
      this.words[from] = a;
      this.words[from + 1] = b;
      this.words[from + 2] = c;
      this.words[from + 3] = d;
      this.count += 1;
    }
    this.rows[slot] = row;
    return before;
  }

  private slot(a: number, b: number, c: number, d: number): number {
    const mask = this.rows.length - 1;
    let slot = (a ^ Math.imul(b, 0x9e3779b1)) & mask;
    while (this.rows[slot] !== FREE) {
      const at = slot * 4;
      if (this.words[at] === a && this.words[at + 1] === b && this.words[at + 2] === c && this.words[at + 3] === d) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private grow(): void {
    const { words, rows } = this;
    this.words = new Uint32Array(words.length * 2);
    this.rows = new Int32Array(rows.length * 2).fill(FREE);
    for (let slot = 0; slot < rows.length; slot += 1) {
      const row = rows[slot] ?? FREE;
      if (row === FREE) continue;
      const from = slot * 4;
      const target = this.slot(words[from] ?? 0, words[from + 1] ?? 0, words[from + 2] ?? 0, words[from + 3] ?? 0);
      for (let word = 0; word < 4; word += 1) this.words[target * 4 + word] = words[from + word] ?? 0;
      this.rows[target] = row;
    }
  }
}

/** SQL that yields the four words of a hash column, for `numberAt`. */
export function keyWordsSql(column: string): string {
  return [1, 9, 17, 25].map((from) => `('0x' || substr(${column}, ${from}, 8))::UINTEGER`).join(', ');
}

/** Loads an index from a table; where a hash stands twice the first row wins. */
export async function loadKeyIndex(database: Database, table: string, rowColumn: string, keyColumn: string): Promise<KeyIndex> {
  const index = new KeyIndex();
  const sql = `SELECT ${rowColumn}, ${keyWordsSql(keyColumn)} FROM ${table} ORDER BY ${rowColumn} DESC`;
  await database.scan(sql, (columns, rowCount) => {
    const n = (column: number, i: number): number => numberAt(columns, column, i);
    for (let i = 0; i < rowCount; i += 1) index.setWords(n(1, i), n(2, i), n(3, i), n(4, i), n(0, i));
  });
  return index;
}

/** A number of a scanned chunk (columns must be INTEGER or DOUBLE: a BIGINT would make an object per value). */
export function numberAt(columns: readonly (readonly unknown[])[], column: number, row: number): number {
  const value = columns[column]?.[row];
  if (typeof value === 'number') return value;
  throw new StoreError('failed', 'A scan of the store met a value of the wrong kind; type `memcalib doctor`.');
}

function wordsOf(key: string): readonly [number, number, number, number] {
  if (!KEY.test(key))
    throw new StoreError(
      'bad_value',
      `"${key.slice(0, 80)}" is no hash of 64 hexadecimal digits; type \`memcalib show ID --json\` to see the keys of an example.`,
    );
  const word = (from: number): number => Number.parseInt(key.slice(from, from + 8), 16);
  return [word(0), word(8), word(16), word(24)];
}
