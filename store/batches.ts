import type { BatchCall, BatchRow, BatchStore } from '../schemas/batch.ts';
import { BATCH_STATES } from '../schemas/batch.ts';
import type { Database } from './duckdb.ts';
import { number, oneOf, text, type ResultRow } from './rows.ts';
import { defineTable, insertInto } from './table.ts';
import type { TextRepairs } from './text.ts';

const BATCHES = defineTable('batches', { no: 'int', id: 'text', run_id: 'text', state: 'text', facts: 'text', at_ms: 'long' });
const BATCH_CALLS = defineTable('batch_calls', { batch_id: 'text', key: 'text', attempt: 'int' });

/** Batches on DuckDB: two small append-only tables, the latest row of a batch holds. */
export class DuckDbBatches implements BatchStore {
  private readonly database: Database;
  private readonly repairs: TextRepairs;
  private readonly nextNo: () => number;

  constructor(database: Database, repairs: TextRepairs, nextNo: () => number) {
    this.database = database;
    this.repairs = repairs;
    this.nextNo = nextNo;
  }

  async put({ id, runId, state, at, ...facts }: BatchRow): Promise<void> {
    const row = { no: this.nextNo(), id, run_id: runId, state, facts: JSON.stringify(facts), at_ms: at };
    await this.database.write([insertInto(BATCHES, [row], this.repairs)]);
  }

  async putCalls(batchId: string, calls: readonly BatchCall[]): Promise<void> {
    const rows = calls.map(({ key, attempt }) => ({ batch_id: batchId, key, attempt }));
    await this.database.write([insertInto(BATCH_CALLS, rows, this.repairs)]);
  }

  async calls(batchId: string): Promise<readonly BatchCall[]> {
    const rows = await this.database.read('SELECT key, attempt FROM batch_calls WHERE batch_id = $1', [batchId]);
    return rows.map((row) => ({ key: text(row, 'key'), attempt: number(row, 'attempt') }));
  }

  async out(): Promise<readonly BatchRow[]> {
    const rows = await this.database.read("SELECT * FROM latest_batches WHERE state IN ('preparing', 'submitted') ORDER BY id");
    return rows.map((row) => batchFrom(row));
  }

  async countOf(runId: string): Promise<number> {
    const [row] = await this.database.read('SELECT count(DISTINCT id) AS n FROM batches WHERE run_id = $1', [runId]);
    return row === undefined ? 0 : number(row, 'n');
  }
}

function batchFrom(row: ResultRow): BatchRow {
  const facts = JSON.parse(text(row, 'facts')) as Omit<BatchRow, 'id' | 'runId' | 'state' | 'at'>;
  return { ...facts, id: text(row, 'id'), runId: text(row, 'run_id'), state: oneOf(row, 'state', BATCH_STATES), at: number(row, 'at_ms') };
}
