import type { LedgerStore, UnpricedCalls } from '../schemas/ledger.ts';
import type { Database } from './duckdb.ts';
import { number, text, type Param } from './rows.ts';

/** Of more calls than this the first stand for all: their requests are read one by one. */
const MOST_KEYS = 2000;

/** Calls of a scope without a known cost, by model: ended without one, or open and not out in a batch. */
export async function readUnpriced(
  database: Database,
  { runId, step, sinceMs }: Parameters<LedgerStore['unpriced']>[0],
): Promise<readonly UnpricedCalls[]> {
  const params: Param[] = [Math.floor(sinceMs ?? 0)];
  let scope = '';
  if (runId !== undefined) scope += ` AND run_id = $${params.push(runId)}`;
  if (step !== undefined) scope += ` AND step = $${params.push(step)}`;
  const rows = await database.read(
    `WITH unknown AS (
       SELECT call_no FROM completions JOIN calls USING (call_no) WHERE cost_micro_usd IS NULL AND completed_at >= $1${scope}
       UNION ALL
       SELECT call_no FROM calls ANTI JOIN completions USING (call_no) ANTI JOIN batch_calls USING (key, attempt)
       WHERE intended_at >= $1${scope}),
     named AS (
       SELECT call_no, key, provider, model, batch_id IS NOT NULL AS batched
       FROM unknown JOIN calls USING (call_no) LEFT JOIN batch_calls USING (key, attempt))
     SELECT key, provider, model, batched, count(*) OVER (PARTITION BY provider, model, batched) AS calls
     FROM named QUALIFY row_number() OVER (PARTITION BY provider, model, batched ORDER BY call_no) <= ${MOST_KEYS}
     ORDER BY call_no`,
    params,
  );
  const groups = new Map<string, UnpricedCalls & { readonly keys: string[] }>();
  for (const row of rows) {
    const [provider, model, batched] = [text(row, 'provider'), text(row, 'model'), row['batched'] === true];
    const name = JSON.stringify([provider, model, batched]);
    const group = groups.get(name) ?? { provider, model, batched, calls: number(row, 'calls'), keys: [] };
    group.keys.push(text(row, 'key'));
    groups.set(name, group);
  }
  return [...groups.values()];
}
