import { STEPS } from '../schemas/steps.ts';
import type { RunScope } from './lineage-port.ts';

/** What is kept whatever its age: runs with their pipelines and orders, and everything younger than a time. */
export interface Kept {
  readonly runs: readonly (RunScope & { readonly id: string })[];
  readonly youngerThanMs: number;
}

function list(values: readonly string[]): string {
  return values.length === 0 ? `('')` : `(${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')})`;
}

/**
 * Temporary tables that name what may go. Kept: outcomes of kept pipelines under rows of kept orders, the verdicts on their trails or that
 * rejected them, every call those name, whatever a kept run asked itself, calls that are no step of a build (probes, judgments), and everything young.
 */
export function keepSql({ runs, youngerThanMs }: Kept): string {
  const ids = list(runs.map(({ id }) => id));
  const pipelines = list(runs.map(({ pipelineHash }) => pipelineHash));
  const orders = list(runs.map(({ orderId }) => orderId));
  const young = Math.floor(youngerThanMs);
  return `
CREATE OR REPLACE TEMP TABLE drop_loads AS
  SELECT load_no FROM orders GROUP BY load_no HAVING bool_and(id NOT IN ${orders}) AND max(created_at) < ${young};
CREATE OR REPLACE TEMP TABLE keep_units AS
  SELECT DISTINCT unit_no FROM order_units WHERE load_no NOT IN (SELECT load_no FROM drop_loads);
CREATE OR REPLACE TEMP TABLE keep_row_nos AS
  SELECT row_no FROM candidates WHERE load_no NOT IN (SELECT load_no FROM drop_loads)
  UNION SELECT unnest(string_split(row_nos, ','))::INTEGER FROM screened_batches WHERE row_nos <> '' AND unit_no IN (SELECT unit_no FROM keep_units);
CREATE OR REPLACE TEMP TABLE keep_rows AS
  SELECT DISTINCT candidate_id, row_hash FROM candidates WHERE load_no NOT IN (SELECT load_no FROM drop_loads);
CREATE OR REPLACE TEMP TABLE drop_outcomes AS
  SELECT o.no FROM outcomes o LEFT JOIN keep_rows k ON k.candidate_id = o.candidate_id AND k.row_hash = o.row_hash
  WHERE o.at_ms < ${young} AND (o.pipeline_hash NOT IN ${pipelines} OR k.row_hash IS NULL);
CREATE OR REPLACE TEMP TABLE keep_outcomes AS SELECT * FROM outcomes WHERE no NOT IN (SELECT no FROM drop_outcomes);
CREATE OR REPLACE TEMP TABLE keep_trails AS SELECT DISTINCT unnest(string_split(trail, ',')) AS key FROM keep_outcomes;
CREATE OR REPLACE TEMP TABLE drop_outputs AS
  SELECT no FROM step_outputs WHERE at_ms < ${young} AND run_id NOT IN ${ids} AND key NOT IN (SELECT key FROM keep_trails)
  AND NOT (verdict = 'rejected' AND (candidate_id, step) IN (SELECT (candidate_id, step) FROM keep_outcomes WHERE status = 'rejected'));
CREATE OR REPLACE TEMP TABLE keep_keys AS
  SELECT DISTINCT unnest(from_json(call_keys, '["VARCHAR"]')) AS key FROM keep_outcomes
  UNION SELECT DISTINCT unnest(from_json(call_keys, '["VARCHAR"]')) FROM step_outputs WHERE no NOT IN (SELECT no FROM drop_outputs);
CREATE OR REPLACE TEMP TABLE drop_calls AS
  SELECT call_no, key FROM calls WHERE key IN (
    SELECT key FROM calls GROUP BY key
    HAVING max(intended_at) < ${young} AND bool_and(run_id NOT IN ${ids}) AND bool_and(step IN ${list(STEPS)}))
  AND key NOT IN (SELECT key FROM keep_keys);
CREATE OR REPLACE TEMP TABLE drop_facts AS
  SELECT no FROM facts WHERE at_ms < ${young} AND (no NOT IN (SELECT max(no) FROM facts GROUP BY name)
    OR (starts_with(name, 'fold:') AND no < (SELECT max(no) FROM facts WHERE starts_with(name, 'fold:'))));
`;
}

/** Counts what the temporary tables name, by kind. */
export function garbageSql(): string {
  return `
SELECT 'replies of models' AS what, count(*) AS n, 1 AS paid, coalesce(sum(cost_micro_usd), 0)::DOUBLE AS micro_usd,
  count(*) FILTER (cost_micro_usd IS NULL) AS unknown FROM drop_calls LEFT JOIN completions USING (call_no)
UNION ALL SELECT 'verdicts of steps', count(*), 0, 0, 0 FROM drop_outputs
UNION ALL SELECT 'outcomes of candidates', count(*), 0, 0, 0 FROM drop_outcomes
UNION ALL SELECT 'orders of candidates', count(*), 0, 0, 0 FROM drop_loads
UNION ALL SELECT 'source rows', count(*), 0, 0, 0 FROM source_rows
  WHERE row_no NOT IN (SELECT row_no FROM keep_row_nos)
UNION ALL SELECT 'superseded facts', count(*), 0, 0, 0 FROM drop_facts`;
}
