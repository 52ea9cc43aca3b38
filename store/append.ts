import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import type { Cell, ColumnKind, Insert, Table } from './table.ts';

/** Appends rows inside the caller's transaction, one appender per table (measured faster than multi-row inserts from 16 rows on). */
export async function appendRows(writer: DuckDBConnection, inserts: readonly Insert[]): Promise<void> {
  const byTable = new Map<string, { readonly table: Table; readonly rows: (readonly Cell[])[] }>();
  for (const { table, rows } of inserts) {
    const known = byTable.get(table.name) ?? { table, rows: [] };
    for (const row of rows) known.rows.push(row);
    byTable.set(table.name, known);
  }
  for (const { table, rows } of byTable.values()) {
    if (rows.length === 0) continue;
    const appender = await writer.createAppender(table.name);
    try {
      const kinds = Object.values(table.columns);
      for (const row of rows) appendRow(appender, kinds, row);
      appender.closeSync();
    } catch (error) {
      appender.clear();
      appender.closeSync();
      throw error;
    }
  }
}

function appendRow(appender: DuckDBAppender, kinds: readonly ColumnKind[], row: readonly Cell[]): void {
  for (const [index, kind] of kinds.entries()) {
    const value = row[index] ?? null;
    if (value === null) appender.appendNull();
    else if (typeof value === 'string') appender.appendVarchar(value);
    else if (value instanceof Uint8Array) appender.appendBlob(value);
    else if (kind === 'long') appender.appendBigInt(BigInt(value));
    else appender.appendInteger(Number(value));
  }
  appender.endRow();
}
