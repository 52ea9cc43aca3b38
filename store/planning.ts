import { ROLES, STEPS } from '../schemas/steps.ts';
import type { Database } from './duckdb.ts';
import type { KeyIndex } from './key-index.ts';
import { rowsByNumber } from './number-ranges.ts';
import * as orderQueries from './order-queries.ts';
import type { CallMeasure, ChangeCount, PlanningStore, RunWork, Trail } from './planning-port.ts';
import { number, oneOf, text, textOrNull, type ResultRow } from './rows.ts';
import { stepOutput } from './verdicts.ts';

const STATUSES = ['accepted', 'rejected', 'failed', 'no_verdict', 'retry'] as const;

function trail(row: ResultRow): Trail {
  const keys = text(row, 'trail');
  return {
    candidateId: text(row, 'candidate_id'),
    rowHash: text(row, 'row_hash'),
    status: oneOf(row, 'status', STATUSES),
    step: oneOf(row, 'step', STEPS),
    reason: text(row, 'reason'),
    query: textOrNull(row, 'query'),
    keys: keys === '' ? [] : keys.split(','),
  };
}

async function readTrails(database: Database, pipelineHash: string, candidateIds: readonly string[]): Promise<readonly Trail[]> {
  if (candidateIds.length === 0) return [];
  // Numbers first, from narrow columns: the texts are then read in the few blocks where they lie.
  const latest = await database.read(
    `SELECT max(no) AS no FROM outcomes WHERE pipeline_hash = $1 AND candidate_id IN (SELECT unnest($2)) GROUP BY candidate_id, row_hash`,
    [pipelineHash, candidateIds],
  );
  const numbers = latest.map((row) => number(row, 'no'));
  return (await rowsByNumber(database, 'outcomes', 'no', 'candidate_id, row_hash, status, step, reason, query, trail', numbers)).map(trail);
}

async function readEarlierEnds(database: Database, candidateIds: readonly string[]): Promise<ReadonlyMap<string, 'accepted' | 'rejected'>> {
  if (candidateIds.length === 0) return new Map();
  const rows = await database.read(
    `SELECT candidate_id, arg_max(status, no) AS status FROM outcomes
     WHERE candidate_id IN (SELECT unnest($1)) AND status IN ('accepted', 'rejected') GROUP BY candidate_id`,
    [candidateIds],
  );
  return new Map(rows.map((row) => [text(row, 'candidate_id'), oneOf(row, 'status', ['accepted', 'rejected'] as const)]));
}

async function readMeasures(database: Database): Promise<readonly CallMeasure[]> {
  const rows = await database.read(
    `SELECT step, role, count(DISTINCT key) AS keys, count(DISTINCT key) FILTER (turn = 'first') AS firsts,
            count(DISTINCT candidate_id) AS candidates, count(*) AS calls,
            coalesce(avg(fresh_input + cached_input), 0)::DOUBLE AS input_mean,
            coalesce(stddev_samp(fresh_input + cached_input), 0)::DOUBLE AS input_dev,
            coalesce(min(fresh_input + cached_input), 0) AS input_min, coalesce(max(fresh_input + cached_input), 0) AS input_max,
            coalesce(avg(output), 0)::DOUBLE AS output_mean, coalesce(stddev_samp(output), 0)::DOUBLE AS output_dev,
            coalesce(min(output), 0) AS output_min, coalesce(max(output), 0) AS output_max,
            coalesce(avg(latency_ms), 0)::DOUBLE AS latency_mean
     FROM calls JOIN completions USING (call_no)
     WHERE class IN ('ok', 'not_json', 'schema_mismatch') AND step IN (SELECT unnest($1)) GROUP BY step, role`,
    [[...STEPS]],
  );
  return rows.map((row) => ({
    step: oneOf(row, 'step', STEPS),
    role: oneOf(row, 'role', ROLES),
    keys: number(row, 'keys'),
    firsts: number(row, 'firsts'),
    candidates: number(row, 'candidates'),
    calls: number(row, 'calls'),
    inputMean: number(row, 'input_mean'),
    inputDeviation: number(row, 'input_dev'),
    inputMin: number(row, 'input_min'),
    inputMax: number(row, 'input_max'),
    outputMean: number(row, 'output_mean'),
    outputDeviation: number(row, 'output_dev'),
    outputMin: number(row, 'output_min'),
    outputMax: number(row, 'output_max'),
    latencyMeanMs: number(row, 'latency_mean'),
  }));
}

/** Only candidates that a step was decided for more than once are looked at, so a project without edits costs one scan of short columns. */
async function readChanges(database: Database, versions: readonly string[]): Promise<readonly ChangeCount[]> {
  const rows = await database.read(
    `WITH often AS (SELECT candidate_id, step FROM step_outputs GROUP BY ALL HAVING count(*) > 1),
     said AS (
       SELECT step, step_version, md5(concat_ws('|', verdict, reason, output)) AS saying,
              lag(saying) OVER (PARTITION BY candidate_id, step ORDER BY no) AS before
       FROM step_outputs JOIN often USING (candidate_id, step))
     SELECT step, count(*) AS redone, count(*) FILTER (saying <> before) AS changed,
            count(*) FILTER (now) AS redone_now, count(*) FILTER (now AND saying <> before) AS changed_now
     FROM (SELECT *, step_version IN (SELECT unnest($1)) AS now FROM said WHERE before IS NOT NULL) GROUP BY step`,
    [versions],
  );
  return rows.map((row) => ({
    step: oneOf(row, 'step', STEPS),
    redone: number(row, 'redone'),
    changed: number(row, 'changed'),
    redoneNow: number(row, 'redone_now'),
    changedNow: number(row, 'changed_now'),
  }));
}

async function readAcceptedByPipeline(
  database: Database,
  orderId: string,
  pipelineHashes: readonly string[],
): Promise<readonly { readonly pipelineHash: string; readonly count: number }[]> {
  const loadNo = await orderQueries.loadNumber(database, orderId);
  if (loadNo === null) return [];
  const rows = await database.read(
    `WITH decided AS (
       SELECT candidate_id, pipeline_hash, status, list_position($1, pipeline_hash) AS place
       FROM candidates JOIN latest_outcomes USING (candidate_id, row_hash)
       WHERE load_no = ${loadNo} AND status IN ('accepted', 'rejected') AND list_contains($1, pipeline_hash)
       QUALIFY row_number() OVER (PARTITION BY candidate_id ORDER BY place) = 1)
     SELECT pipeline_hash, count(*) AS n FROM decided WHERE status = 'accepted' GROUP BY pipeline_hash ORDER BY min(place)`,
    [pipelineHashes],
  );
  return rows.map((row) => ({ pipelineHash: text(row, 'pipeline_hash'), count: number(row, 'n') }));
}

async function readRunWork(database: Database, runId: string): Promise<readonly RunWork[]> {
  const rows = await database.read(
    `WITH ends AS (SELECT candidate_id, unnest(string_split(trail, ',')) AS key FROM outcomes WHERE run_id = $1 AND trail <> ''),
     made AS (SELECT step, count(*) AS made FROM step_outputs WHERE run_id = $1 GROUP BY step),
     reused AS (SELECT step, count(*) AS reused FROM ends JOIN step_outputs s USING (key, candidate_id) WHERE s.run_id <> $1 GROUP BY step),
     sent AS (
       SELECT step, count(DISTINCT key) AS keys, count(*) AS attempts, coalesce(sum(cost_micro_usd), 0)::DOUBLE AS micro_usd,
              count(*) FILTER (cost_micro_usd IS NULL) AS unknown_cost
       FROM calls LEFT JOIN completions USING (call_no) WHERE run_id = $1 GROUP BY step)
     SELECT step, coalesce(made, 0) AS made, coalesce(reused, 0) AS reused, coalesce(keys, 0) AS keys,
            coalesce(attempts, 0) AS attempts, coalesce(micro_usd, 0)::DOUBLE AS micro_usd, coalesce(unknown_cost, 0) AS unknown_cost
     FROM made FULL JOIN reused USING (step) FULL JOIN sent USING (step)`,
    [runId],
  );
  return rows.flatMap((row): readonly RunWork[] => {
    const step = STEPS.find((id) => id === row['step']);
    if (step === undefined) return [];
    return [
      {
        step,
        made: number(row, 'made'),
        reused: number(row, 'reused'),
        keys: number(row, 'keys'),
        attempts: number(row, 'attempts'),
        microUsd: number(row, 'micro_usd'),
        unknownCost: number(row, 'unknown_cost'),
      },
    ];
  });
}

async function readOrderChange(database: Database, beforeId: string, nowId: string): ReturnType<PlanningStore['orderChange']> {
  const [before, now] = [await orderQueries.loadNumber(database, beforeId), await orderQueries.loadNumber(database, nowId)];
  const [row] = await database.read(
    `SELECT count(*) FILTER (o.candidate_id IS NULL) AS added, count(*) FILTER (n.candidate_id IS NULL) AS withdrawn,
            count(*) FILTER (o.row_hash <> n.row_hash) AS changed, count(*) FILTER (o.position <> n.position) AS moved
     FROM (SELECT * FROM candidates WHERE load_no = ${before ?? -1}) o
     FULL JOIN (SELECT * FROM candidates WHERE load_no = ${now ?? -1}) n USING (candidate_id)`,
  );
  const count = (name: string): number => (row === undefined ? 0 : number(row, name));
  return { added: count('added'), withdrawn: count('withdrawn'), changed: count('changed'), moved: count('moved') };
}

/** The planner's questions over one database. */
export function createPlanningStore(database: Database, verdictIndex: () => Promise<KeyIndex>): PlanningStore {
  return {
    trails: (pipelineHash, candidateIds) => readTrails(database, pipelineHash, candidateIds),
    outputsByKey: async (keys) => {
      const index = await verdictIndex();
      const numbers = keys.flatMap((key) => index.get(key) ?? []);
      const rows = await rowsByNumber(database, 'step_outputs', 'no', '*', numbers);
      return rows.map((row) => ({ ...stepOutput(row), key: text(row, 'key') }));
    },
    outputTexts: async (keys) => {
      const index = await verdictIndex();
      const numbers = keys.flatMap((key) => index.get(key) ?? []);
      const rows = await rowsByNumber(database, 'step_outputs', 'no', 'key, output', numbers);
      return new Map(rows.flatMap((row) => (row['output'] === null ? [] : [[text(row, 'key'), text(row, 'output')] as const])));
    },
    storedKeys: async (keys) => {
      const index = await verdictIndex();
      return new Set(keys.filter((key) => index.get(key) !== undefined));
    },
    versionsInUse: async () => {
      const rows = await database.read('SELECT DISTINCT step_version FROM step_outputs');
      return new Set(rows.map((row) => text(row, 'step_version')));
    },
    callMeasures: () => readMeasures(database),
    changeCounts: (versions) => readChanges(database, versions),
    acceptedByPipeline: (orderId, pipelineHashes) => readAcceptedByPipeline(database, orderId, pipelineHashes),
    orderChange: (beforeId, nowId) => readOrderChange(database, beforeId, nowId),
    earlierEnds: (candidateIds) => readEarlierEnds(database, candidateIds),
    runWork: (runId) => readRunWork(database, runId),
    waiverCount: async (pipelineHash) => {
      const [row] = await database.read('SELECT count(DISTINCT candidate_id) AS n FROM waivers WHERE pipeline_hash = $1', [pipelineHash]);
      return row === undefined ? 0 : number(row, 'n');
    },
  };
}
