import { rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Database } from './duckdb.ts';
import { StoreError } from './errors.ts';
import { garbageSql, keepSql, type Kept } from './garbage.ts';
import { number, numberOrNull, text, type ResultRow } from './rows.ts';
import type { DuckDBConnection } from '@duckdb/node-api';

/** One kind of rows that nothing kept needs. */
export interface GarbageLine {
  readonly what: string;
  readonly rows: number;
  /** Paid for: dropped only together with a backup. */
  readonly paid: boolean;
  readonly microUsd: number;
  readonly unknownCosts: number;
}

const COPY = 'memcalib_copy';

async function rows(connection: DuckDBConnection, sql: string): Promise<readonly ResultRow[]> {
  const result = await connection.runAndReadAll(sql);
  return result.getRowObjects().map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

function plain(value: unknown): string | number | null {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** Work on a whole file, by its only holder: copies, rewriting, dropping what nobody needs. */
export class Upkeep {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** Writes a whole, compact and verified copy of the store into a new file. */
  async copyTo(file: string): Promise<void> {
    try {
      await this.database.exclusively(async (connection) => {
        const [own] = await rows(connection, 'SELECT current_database() AS name');
        const source = own === undefined ? '' : text(own, 'name');
        await connection.run('CHECKPOINT');
        await connection.run(`ATTACH '${file.replaceAll("'", "''")}' AS ${COPY}`);
        try {
          await connection.run(`COPY FROM DATABASE "${source}" TO ${COPY}`);
          await compareTables(connection, source, file);
        } finally {
          await connection.run(`DETACH ${COPY}`);
        }
      });
    } catch (error) {
      for (const path of [file, `${file}.wal`]) await rm(path, { force: true });
      throw error;
    }
  }

  /** Rewrites the file to the size of what it holds and gives its size before and after. The store must be closed next. */
  async compact(): Promise<{ readonly bytesBefore: number; readonly bytesAfter: number }> {
    const { file } = this.database;
    const copy = `${file}.compact`;
    await rm(copy, { force: true });
    const bytesBefore = (await stat(file)).size;
    await this.copyTo(copy);
    const bytesAfter = (await stat(copy)).size;
    // The old file stays locked by this process until it closes: nobody can write to it after the copy was taken.
    await rename(copy, file);
    return { bytesBefore, bytesAfter };
  }

  /** What nothing kept needs, by kind; changes nothing. */
  async garbage(kept: Kept): Promise<readonly GarbageLine[]> {
    return this.database.exclusively(async (connection) => {
      await connection.run(keepSql(kept));
      const found = await rows(connection, garbageSql());
      return found.map((row) => ({
        what: text(row, 'what'),
        rows: number(row, 'n'),
        paid: number(row, 'paid') === 1,
        microUsd: numberOrNull(row, 'micro_usd') ?? 0,
        unknownCosts: number(row, 'unknown'),
      }));
    });
  }

  /** Drops what `garbage` lists, in one transaction. The store must be closed next: its indexes in memory are of before. */
  async drop(kept: Kept): Promise<void> {
    await this.database.exclusively(async (connection) => {
      await connection.run(keepSql(kept));
      await connection.run('BEGIN');
      try {
        await connection.run(DROP_SQL);
        await connection.run('COMMIT');
      } catch (error) {
        await connection.run('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }
}

const DROP_SQL = `
DELETE FROM call_replies WHERE completion_no IN (SELECT completion_no FROM completions WHERE call_no IN (SELECT call_no FROM drop_calls));
DELETE FROM completions WHERE call_no IN (SELECT call_no FROM drop_calls);
DELETE FROM call_requests WHERE call_no IN (SELECT call_no FROM drop_calls);
DELETE FROM call_series WHERE key IN (SELECT key FROM drop_calls);
DELETE FROM calls WHERE call_no IN (SELECT call_no FROM drop_calls);
DELETE FROM step_outputs WHERE no IN (SELECT no FROM drop_outputs);
DELETE FROM outcomes WHERE no IN (SELECT no FROM drop_outcomes);
DELETE FROM example_digests WHERE no IN (SELECT no FROM drop_outcomes);
DELETE FROM candidates WHERE load_no IN (SELECT load_no FROM drop_loads);
DELETE FROM row_rejections WHERE load_no IN (SELECT load_no FROM drop_loads);
DELETE FROM orders WHERE load_no IN (SELECT load_no FROM drop_loads);
DELETE FROM order_units WHERE load_no IN (SELECT load_no FROM drop_loads);
DELETE FROM order_clusters WHERE load_no IN (SELECT load_no FROM drop_loads);
DELETE FROM screened_units WHERE unit_no NOT IN (SELECT unit_no FROM keep_units);
DELETE FROM screened_batches WHERE unit_no NOT IN (SELECT unit_no FROM keep_units);
DELETE FROM source_rows WHERE row_no NOT IN (SELECT row_no FROM keep_row_nos);
DELETE FROM facts WHERE no IN (SELECT no FROM drop_facts);
`;

/** Every table of the copy must hold the same rows as the original. */
async function compareTables(connection: DuckDBConnection, source: string, file: string): Promise<void> {
  const tables = await rows(
    connection,
    `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = '${source}' AND NOT internal`,
  );
  for (const table of tables) {
    const name = text(table, 'name');
    const sums = await rows(
      connection,
      ['"' + source + '"', COPY]
        .map((database) => `SELECT count(*) AS n, bit_xor(hash(t))::VARCHAR AS sum FROM ${database}.main."${name}" t`)
        .join(' UNION ALL '),
    );
    const [a, b] = sums;
    if (a === undefined || b === undefined || a['n'] !== b['n'] || a['sum'] !== b['sum'])
      throw new StoreError(
        'failed',
        `The copy ${basename(file)} does not hold what table ${name} holds; the store is untouched. Check the disk with \`memcalib doctor\` and type the command again.`,
      );
  }
}
