import { digestOf } from '../metrics/example-digest.ts';
import type { Domain } from '../schemas/levels.ts';
import { STEPS, type StepId } from '../schemas/steps.ts';
import type { Database } from './duckdb.ts';
import type { TracedOutcome } from './lineage-port.ts';
import type { OutcomeRow, PositionOutcome, StoredOutcome } from './port.ts';
import { rowsByNumber } from './number-ranges.ts';
import { number, oneOf, text, textOrNull, type ResultRow } from './rows.ts';
import { defineTable, insertInto, type Insert, type RowOf } from './table.ts';
import type { TextRepairs } from './text.ts';
import { verdictKey } from './verdicts.ts';

const OUTCOMES = defineTable('outcomes', {
  no: 'int',
  candidate_id: 'text',
  pipeline_hash: 'text',
  row_hash: 'text',
  status: 'text',
  step: 'text',
  reason: 'text',
  detail: 'text',
  query: 'text',
  example: 'text',
  call_keys: 'text',
  trail: 'text',
  run_id: 'text',
  at_ms: 'long',
});
const EXAMPLE_DIGESTS = defineTable('example_digests', {
  no: 'int',
  hash: 'text',
  query_words: 'int',
  memory_words: 'int',
  atoms: 'int',
  blocks: 'int',
  level_a: 'int',
  level_b: 'int',
  level_c: 'int',
});
const STATUSES = ['accepted', 'rejected', 'failed', 'no_verdict', 'retry'] as const;

/** Counts of one (source, step, status, reason). */
export interface StepCount {
  readonly source: string;
  readonly step: StepId;
  readonly status: OutcomeRow['status'];
  readonly reason: string;
  readonly count: number;
}

function digestRow(no: number, example: string | null): RowOf<typeof EXAMPLE_DIGESTS> | null {
  const digest = example === null ? null : digestOf(example);
  if (digest === null) return null;
  const { hash, queryWords, memoryWords, atoms, blocks, levels } = digest;
  return {
    no,
    hash,
    query_words: queryWords,
    memory_words: memoryWords,
    atoms,
    blocks,
    level_a: levels.A,
    level_b: levels.B,
    level_c: levels.C,
  };
}

/** The rows of outcomes and the digests of their examples, ready to append. */
export function outcomeInserts(outcomes: readonly OutcomeRow[], nextNo: () => number, repairs: TextRepairs): readonly Insert[] {
  const numbered = outcomes.map((outcome) => ({ no: nextNo(), outcome }));
  const digests = numbered.flatMap(({ no, outcome }) => digestRow(no, outcome.example) ?? []);
  return [outcomeInsert(numbered, repairs), ...(digests.length === 0 ? [] : [insertInto(EXAMPLE_DIGESTS, digests, repairs)])];
}

function outcomeInsert(outcomes: readonly { readonly no: number; readonly outcome: OutcomeRow }[], repairs: TextRepairs): Insert {
  return insertInto(
    OUTCOMES,
    outcomes.map(({ no, outcome }) => ({
      no,
      candidate_id: outcome.candidateId,
      pipeline_hash: outcome.pipelineHash,
      row_hash: outcome.rowHash,
      status: outcome.status,
      step: outcome.step,
      reason: outcome.reason,
      detail: outcome.detail,
      query: outcome.query,
      example: outcome.example,
      call_keys: JSON.stringify(outcome.callKeys),
      trail: outcome.trail.map(verdictKey).join(','),
      run_id: outcome.runId,
      at_ms: outcome.at,
    })),
    repairs,
  );
}

/** Latest outcomes at positions [from, to) of a domain, pending ones included: one join of that page's candidates. */
export async function readOutcomesAt(
  database: Database,
  loadNo: number,
  pipelineHash: string,
  domain: Domain,
  from: number,
  to: number,
): Promise<readonly PositionOutcome[]> {
  const rows = await database.read(
    `WITH page AS (
       SELECT position, candidate_id, source, stratum, row_hash FROM candidates
       WHERE load_no = ${loadNo} AND domain = $1 AND position >= $2 AND position < $3),
     latest AS (
       SELECT o.* EXCLUDE (example, call_keys, trail) FROM outcomes o
       WHERE pipeline_hash = $4 AND candidate_id IN (SELECT candidate_id FROM page)
       QUALIFY row_number() OVER (PARTITION BY candidate_id, row_hash ORDER BY no DESC) = 1)
     SELECT page.*, latest.no, status, step, reason, detail, query, run_id, at_ms,
       EXISTS (SELECT 1 FROM waivers w WHERE w.candidate_id = page.candidate_id AND w.pipeline_hash = $4) AS waived
     FROM page LEFT JOIN latest USING (candidate_id, row_hash) ORDER BY position`,
    [domain, from, to, pipelineHash],
  );
  return rows.map((row) => ({
    position: number(row, 'position'),
    candidateId: text(row, 'candidate_id'),
    source: text(row, 'source'),
    stratum: text(row, 'stratum'),
    rowHash: text(row, 'row_hash'),
    outcome: row['no'] === null ? null : narrowOutcome(row, pipelineHash),
    waived: row['waived'] === true,
  }));
}

/** Latest full outcomes of candidates under their row in an order, in the order asked; candidates without one are left out. */
export async function readOutcomes(
  database: Database,
  loadNo: number,
  pipelineHash: string,
  candidateIds: readonly string[],
): Promise<readonly StoredOutcome[]> {
  if (candidateIds.length === 0) return [];
  // Numbers first, from narrow columns: the texts are then read in the few blocks where they lie.
  const latest = await database.read(
    `WITH own AS (SELECT candidate_id, row_hash FROM candidates WHERE load_no = ${loadNo} AND candidate_id IN (SELECT unnest($2)))
     SELECT max(no) AS no FROM outcomes JOIN own USING (candidate_id, row_hash) WHERE pipeline_hash = $1 GROUP BY candidate_id`,
    [pipelineHash, candidateIds],
  );
  const numbers = latest.map((row) => number(row, 'no'));
  const rows = await rowsByNumber(database, 'outcomes', 'no', '*', numbers);
  const byId = new Map(rows.map((row) => [text(row, 'candidate_id'), row]));
  return candidateIds.flatMap((id) => {
    const row = byId.get(id);
    if (row === undefined) return [];
    const callKeys = JSON.parse(text(row, 'call_keys')) as string[];
    return [{ ...narrowOutcome(row, pipelineHash), example: textOrNull(row, 'example'), callKeys }];
  });
}

/** Rows of status `retry` per candidate and step, for one reason. */
export async function countRetries(
  database: Database,
  pipelineHash: string,
  candidateIds: readonly string[],
  reason: string,
): Promise<readonly { readonly candidateId: string; readonly step: StepId; readonly count: number }[]> {
  const rows = await database.read(
    `SELECT candidate_id, step, count(*) AS n FROM outcomes
     WHERE pipeline_hash = $1 AND candidate_id IN (SELECT unnest($2)) AND status = 'retry' AND reason = $3 GROUP BY ALL`,
    [pipelineHash, candidateIds, reason],
  );
  return rows.map((row) => ({ candidateId: text(row, 'candidate_id'), step: oneOf(row, 'step', STEPS), count: number(row, 'n') }));
}

/** Latest outcomes of an order under a pipeline hash, counted by source, deciding step, status and reason. */
export async function countOutcomes(database: Database, loadNo: number, pipelineHash: string): Promise<readonly StepCount[]> {
  const rows = await database.read(
    `SELECT source, step, status, reason, count(*) AS n
     FROM candidates JOIN latest_outcomes USING (candidate_id, row_hash)
     WHERE load_no = ${loadNo} AND pipeline_hash = $1 GROUP BY ALL ORDER BY source, step, status, reason`,
    [pipelineHash],
  );
  return rows.map((row) => ({
    source: text(row, 'source'),
    step: oneOf(row, 'step', STEPS),
    status: oneOf(row, 'status', STATUSES),
    reason: text(row, 'reason'),
    count: number(row, 'n'),
  }));
}

/** A row of outcomes with all it holds but its example. */
export function tracedOutcome(row: ResultRow): TracedOutcome {
  const trail = text(row, 'trail');
  return {
    ...narrowOutcome(row, text(row, 'pipeline_hash')),
    no: number(row, 'no'),
    callKeys: JSON.parse(text(row, 'call_keys')) as string[],
    trail: trail === '' ? [] : trail.split(','),
  };
}

function narrowOutcome(row: ResultRow, pipelineHash: string): Omit<StoredOutcome, 'example' | 'callKeys'> {
  return {
    candidateId: text(row, 'candidate_id'),
    pipelineHash,
    rowHash: text(row, 'row_hash'),
    status: oneOf(row, 'status', STATUSES),
    step: oneOf(row, 'step', STEPS),
    reason: text(row, 'reason'),
    detail: text(row, 'detail'),
    query: textOrNull(row, 'query'),
    runId: text(row, 'run_id'),
    at: number(row, 'at_ms'),
  };
}

/** Candidates that a run of the pipeline `$1` worked on: another label may share step versions and be much further. */
const BEGUN = 'SELECT candidate_id FROM step_outputs WHERE run_id IN (SELECT id FROM runs WHERE pipeline_hash = $1)';

/** Candidates per source and step whose accepted output really stands: passed steps of ended ones by their trail, of open ones by version. */
export async function countAccepted(
  database: Database,
  loadNo: number,
  pipelineHash: string,
  versions: readonly { readonly step: StepId; readonly stepVersion: string }[],
): Promise<readonly { readonly source: string; readonly step: StepId; readonly count: number }[]> {
  const rows = await database.read(
    `WITH own AS (SELECT candidate_id, row_hash, source FROM candidates WHERE load_no = ${loadNo}),
     ended AS (
       SELECT source, candidate_id, string_split(trail, ',') AS keys FROM own JOIN latest_outcomes USING (candidate_id, row_hash)
       WHERE pipeline_hash = $1 AND status <> 'retry'),
     passed AS (
       SELECT source, step, candidate_id FROM (SELECT source, candidate_id, unnest(keys) AS key FROM ended)
       JOIN step_outputs USING (key, candidate_id) WHERE verdict = 'accepted'
       UNION ALL
       SELECT source, step, candidate_id FROM step_outputs JOIN own USING (candidate_id)
       WHERE verdict = 'accepted' AND candidate_id NOT IN (SELECT candidate_id FROM ended)
         AND candidate_id IN (${BEGUN}) AND list_contains($2, step || ' ' || step_version))
     SELECT source, step, count(DISTINCT candidate_id) AS n FROM passed GROUP BY ALL`,
    [pipelineHash, versions.map(({ step, stepVersion }) => `${step} ${stepVersion}`)],
  );
  return rows.map((row) => ({ source: text(row, 'source'), step: oneOf(row, 'step', STEPS), count: number(row, 'n') }));
}

/** Candidates per source that have an outcome under this pipeline or an output of the first step under its version. */
export async function countStarted(
  database: Database,
  loadNo: number,
  pipelineHash: string,
  screenVersion: string,
): Promise<readonly { readonly source: string; readonly count: number }[]> {
  const rows = await database.read(
    `SELECT source, count(*) AS n FROM candidates c WHERE load_no = ${loadNo} AND (
       EXISTS (SELECT 1 FROM outcomes o WHERE o.candidate_id = c.candidate_id AND o.row_hash = c.row_hash AND o.pipeline_hash = $1)
       OR c.candidate_id IN (
         SELECT candidate_id FROM step_outputs s WHERE s.step = 'screen' AND s.step_version = $2 AND candidate_id IN (${BEGUN})))
     GROUP BY source`,
    [pipelineHash, screenVersion],
  );
  return rows.map((row) => ({ source: text(row, 'source'), count: number(row, 'n') }));
}
