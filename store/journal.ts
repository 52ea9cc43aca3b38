import { deserialize, serialize } from 'node:v8';
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { appendRows } from './append.ts';
import type { Insert } from './table.ts';

/** At so many rows the journal is moved into the tables; a bigger batch goes there at once. */
const MOVE_AT_ROWS = 4096;
const LONGEST_ENTRY_ROWS = 512;

function rowsOf(inserts: readonly Insert[]): number {
  return inserts.reduce((sum, insert) => sum + insert.rows.length, 0);
}

/**
 * Makes small batches durable as one packed row of one table, which costs a tenth of an append to each of their tables; the rows
 * are moved there in bulk, before anybody reads those tables. Its owner calls everything here between two group commits.
 */
export class Journal {
  private readonly writer: DuckDBConnection;
  private readonly inTransaction: (run: () => Promise<void>) => Promise<void>;
  private statement: DuckDBPreparedStatement | null = null;
  private held: Insert[] = [];
  private readonly tables = new Set<string>();
  private heldRows = 0;

  constructor(writer: DuckDBConnection, inTransaction: (run: () => Promise<void>) => Promise<void>) {
    this.writer = writer;
    this.inTransaction = inTransaction;
  }

  /** Whether rows wait that the statement could ask for (by the names of their tables). */
  concerns(sql: string): boolean {
    return [...this.tables].some((name) => sql.includes(name));
  }

  get isEmpty(): boolean {
    return this.heldRows === 0;
  }

  /** Makes rows durable; once this resolves they are safe, and every later `move` takes them to their tables. */
  async add(inserts: readonly Insert[]): Promise<void> {
    const rows = rowsOf(inserts);
    if (rows > LONGEST_ENTRY_ROWS) return this.moveWith(inserts);
    this.statement ??= await this.writer.prepare('INSERT INTO journal VALUES ($1)');
    this.statement.bindBlob(1, serialize(inserts));
    await this.statement.run();
    this.held.push(...inserts);
    for (const { table } of inserts) this.tables.add(table.name);
    this.heldRows += rows;
    // The rows are safe already: a failed move (a full disk) leaves them in the journal for the next one.
    if (this.heldRows >= MOVE_AT_ROWS) await this.move().catch(() => undefined);
  }

  /** Moves everything that waits into its tables. */
  async move(): Promise<void> {
    if (!this.isEmpty) await this.moveWith([]);
  }

  /** Runs a query that sees what waits, and writes nothing. */
  async withHeld<T>(run: () => Promise<T>): Promise<T> {
    await this.writer.run('BEGIN');
    try {
      await appendRows(this.writer, this.held);
      return await run();
    } finally {
      await this.writer.run('ROLLBACK').catch(() => undefined);
    }
  }

  /** Moves what a process left that ended before it could; returns the number of batches. */
  async recover(): Promise<number> {
    const result = await this.writer.runAndReadAll('SELECT body FROM journal ORDER BY rowid');
    const left = result.getRows().flatMap(([body]) => {
      const bytes = typeof body === 'object' && body !== null && 'bytes' in body ? body.bytes : null;
      return bytes instanceof Uint8Array ? (deserialize(bytes) as readonly Insert[]) : [];
    });
    if (left.length > 0) await this.moveWith(left);
    return left.length;
  }

  private async moveWith(more: readonly Insert[]): Promise<void> {
    await this.inTransaction(async () => {
      await appendRows(this.writer, [...this.held, ...more]);
      await this.writer.run('DELETE FROM journal');
    });
    this.held = [];
    this.heldRows = 0;
    this.tables.clear();
  }
}
