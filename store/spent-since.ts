import type { Database } from './duckdb.ts';
import { number, type Param } from './rows.ts';

/** Spending since a time (completions by their end, open attempts by their start): one aggregate over the narrow tables. */
export async function spentSince(
  database: Database,
  sinceMs: number,
  runId: string | undefined,
  step: string | undefined,
): Promise<{ readonly microUsd: number; readonly unknownCalls: number; readonly calls: number }> {
  const params: Param[] = [Math.floor(sinceMs)];
  let scope = '';
  if (runId !== undefined) scope += ` AND run_id = $${params.push(runId)}`;
  if (step !== undefined) scope += ` AND step = $${params.push(step)}`;
  const [row] = await database.read(
    `SELECT coalesce(sum(cost), 0)::DOUBLE AS micro_usd, count(*) FILTER (cost IS NULL) AS unknown_calls, count(*) AS calls FROM (
       SELECT cost_micro_usd AS cost FROM completions JOIN calls USING (call_no) WHERE completed_at >= $1${scope}
       UNION ALL
       SELECT NULL AS cost FROM calls ANTI JOIN completions USING (call_no) WHERE intended_at >= $1${scope})`,
    params,
  );
  if (row === undefined) return { microUsd: 0, unknownCalls: 0, calls: 0 };
  return { microUsd: number(row, 'micro_usd'), unknownCalls: number(row, 'unknown_calls'), calls: number(row, 'calls') };
}
