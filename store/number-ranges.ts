import type { Database } from './duckdb.ts';
import type { ResultRow } from './rows.ts';

/** Numbers further apart than this are fetched as separate ranges: a scan between them costs more than a range of its own. */
const MAX_GAP = 8192;

/** Splits numbers into runs whose neighbours lie close together. */
export function closeRuns(numbers: readonly number[], maxGap: number = MAX_GAP): readonly (readonly number[])[] {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const runs: number[][] = [];
  for (const number of sorted) {
    const last = runs.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || number - before > maxGap) runs.push([number]);
    else last.push(number);
  }
  return runs;
}

/**
 * Rows of a table by their ascending numbers, in one query.
 * Ranges let DuckDB skip whole blocks by their minimum and maximum, so that a chunk costs the same in a small file and a big one.
 */
export async function rowsByNumber(
  database: Database,
  table: string,
  column: string,
  fields: string,
  numbers: readonly number[],
): Promise<readonly ResultRow[]> {
  if (numbers.length === 0) return [];
  const branches = closeRuns(numbers).map((run) => {
    const from = run[0] ?? 0;
    const to = run.at(-1) ?? from;
    return `SELECT ${fields} FROM ${table} WHERE ${column} BETWEEN ${from} AND ${to} AND ${column} IN (SELECT unnest([${run.join(',')}]::INTEGER[]))`;
  });
  return database.read(branches.join(' UNION ALL '));
}
