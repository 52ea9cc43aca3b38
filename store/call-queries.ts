import { CALL_CLASSES, type CallClass } from '../schemas/ledger.ts';
import type { Database } from './duckdb.ts';
import type { CallFilter, CallLine, CostGroup } from './port.ts';
import { number, numberOrNull, oneOf, text, textOrNull, type Param, type ResultRow } from './rows.ts';

const OPEN = 'open';

function conditions(filter: CallFilter, params: Param[]): string {
  const parts = ['TRUE'];
  const where = (column: string, value: string | undefined): void => {
    if (value !== undefined) parts.push(`${column} = $${params.push(value)}`);
  };
  where('run_id', filter.runId);
  where('step', filter.step);
  where('candidate_id', filter.candidateId);
  where(`coalesce(class, '${OPEN}')`, filter.class);
  if (filter.keyPrefix !== undefined) parts.push(`starts_with(key, $${params.push(filter.keyPrefix)})`);
  if (filter.beforeCallNo !== undefined) parts.push(`call_no < $${params.push(filter.beforeCallNo)}`);
  return parts.join(' AND ');
}

function classOf(row: ResultRow): CallClass | null {
  return row['class'] === null ? null : oneOf(row, 'class', CALL_CLASSES);
}

/** One page of calls, latest first; the next page begins before the last `callNo`. */
export async function readCalls(database: Database, filter: CallFilter, limit: number): Promise<readonly CallLine[]> {
  const params: Param[] = [];
  const where = conditions(filter, params);
  const rows = await database.read(
    `SELECT call_no, key, attempt, run_id, step, part_id, candidate_id, role, turn, provider, model, intended_at,
            class, finish_reason, cost_micro_usd, latency_ms, message
     FROM calls LEFT JOIN first_completions USING (call_no)
     WHERE ${where} ORDER BY call_no DESC LIMIT ${Math.max(1, Math.floor(limit))}`,
    params,
  );
  return rows.map((row) => ({
    callNo: number(row, 'call_no'),
    key: text(row, 'key'),
    attempt: number(row, 'attempt'),
    runId: text(row, 'run_id'),
    step: text(row, 'step'),
    partId: text(row, 'part_id'),
    candidateId: text(row, 'candidate_id'),
    role: text(row, 'role'),
    turn: text(row, 'turn'),
    provider: text(row, 'provider'),
    model: text(row, 'model'),
    intendedAt: number(row, 'intended_at'),
    class: classOf(row),
    finishReason: textOrNull(row, 'finish_reason'),
    costMicroUsd: numberOrNull(row, 'cost_micro_usd'),
    latencyMs: numberOrNull(row, 'latency_ms'),
    message: textOrNull(row, 'message'),
  }));
}

/**
 * Spending per run, role, step and UTC day: one row per attempt and duplicate completion, as `spent` counts them.
 * Repaid is what was asked again although an earlier attempt of its key may have been paid and lost (a crash between).
 */
export async function readCosts(database: Database): Promise<readonly CostGroup[]> {
  const rows = await database.read(
    `WITH lost AS (SELECT key, min(attempt) AS attempt FROM calls ANTI JOIN completions USING (call_no) GROUP BY key)
     SELECT run_id, role, step, strftime(epoch_ms(coalesce(completed_at, intended_at)), '%Y-%m-%d') AS day,
            count(*) AS calls, coalesce(sum(cost_micro_usd), 0)::DOUBLE AS micro_usd,
            count(*) FILTER (cost_micro_usd IS NULL) AS unknown_calls,
            coalesce(sum(fresh_input), 0)::DOUBLE AS fresh_input, coalesce(sum(cached_input), 0)::DOUBLE AS cached_input,
            coalesce(sum(output), 0)::DOUBLE AS output,
            count(*) FILTER (calls.attempt > lost.attempt) AS repaid_calls,
            coalesce(sum(cost_micro_usd) FILTER (calls.attempt > lost.attempt), 0)::DOUBLE AS repaid_micro_usd
     FROM calls LEFT JOIN completions USING (call_no) LEFT JOIN lost ON lost.key = calls.key
     GROUP BY ALL ORDER BY run_id, role, step, day`,
  );
  return rows.map((row) => ({
    runId: text(row, 'run_id'),
    role: text(row, 'role'),
    step: text(row, 'step'),
    day: text(row, 'day'),
    calls: number(row, 'calls'),
    microUsd: number(row, 'micro_usd'),
    unknownCalls: number(row, 'unknown_calls'),
    freshInput: number(row, 'fresh_input'),
    cachedInput: number(row, 'cached_input'),
    output: number(row, 'output'),
    repaidCalls: number(row, 'repaid_calls'),
    repaidMicroUsd: number(row, 'repaid_micro_usd'),
  }));
}

/** Answers that a pipeline uses although another run paid for them, and what they cost then. */
export async function readReused(
  database: Database,
  pipelineHash: string,
  runId: string,
): Promise<{ readonly calls: number; readonly microUsd: number }> {
  const [row] = await database.read(
    `WITH used AS (SELECT DISTINCT unnest(from_json(call_keys, '["VARCHAR"]')) AS key FROM latest_outcomes WHERE pipeline_hash = $1)
     SELECT count(*) AS calls, coalesce(sum(cost_micro_usd), 0)::DOUBLE AS micro_usd
     FROM used JOIN calls USING (key) JOIN first_completions USING (call_no) WHERE class = 'ok' AND calls.run_id <> $2`,
    [pipelineHash, runId],
  );
  return row === undefined ? { calls: 0, microUsd: 0 } : { calls: number(row, 'calls'), microUsd: number(row, 'micro_usd') };
}
