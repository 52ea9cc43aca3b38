import { DuckDBInstance } from '@duckdb/node-api';
import type { ReadRow } from './parse-json-row.ts';

/** Rows of a Parquet file in file order, read in a DuckDB of its own (in memory) so that the project's store is never touched. */
export async function* readParquet(path: string): AsyncIterable<ReadRow> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB', preserve_insertion_order: 'true' });
  try {
    const connection = await instance.connect();
    try {
      const result = await connection.stream('SELECT * FROM read_parquet($1)', [path]);
      let number = 0;
      for await (const rows of result.yieldRowObjectJson()) {
        for (const row of rows) {
          number += 1;
          yield { kind: 'row', number, row };
        }
      }
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}
