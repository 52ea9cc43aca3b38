import type { ExampleDigest } from '../metrics/example-digest.ts';
import type { StoredAttempt } from '../schemas/ledger.ts';
import type { StepId } from '../schemas/steps.ts';
import type { RowRejection } from '../schemas/source-row.ts';
import type { Database } from './duckdb.ts';
import { attemptsOf } from './stored-attempts.ts';
import type { CostSum, KeyedStepOutput, LineageStore, NarrowStepOutput, RowPlace, RunScope, TracedOutcome } from './lineage-port.ts';
import { loadNumber, readCandidates } from './order-queries.ts';
import { tracedOutcome } from './outcomes.ts';
import { rowsByNumber } from './number-ranges.ts';
import { number, oneOf, text, textOrNull, type ResultRow } from './rows.ts';
import { narrowStepOutput, stepOutput } from './verdicts.ts';

function digestFrom(row: ResultRow): ExampleDigest {
  return {
    hash: text(row, 'hash'),
    queryWords: number(row, 'query_words'),
    memoryWords: number(row, 'memory_words'),
    atoms: number(row, 'atoms'),
    blocks: number(row, 'blocks'),
    levels: { A: number(row, 'level_a'), B: number(row, 'level_b'), C: number(row, 'level_c') },
  };
}

/** Lineage questions on DuckDB: scans of narrow columns, texts of the matching rows only. */
export class DuckDbLineage implements LineageStore {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async stepOutputs(candidateId: string): Promise<readonly KeyedStepOutput[]> {
    const rows = await this.database.read('SELECT * FROM step_outputs WHERE candidate_id = $1 ORDER BY no', [candidateId]);
    return rows.map((row) => ({ ...stepOutput(row), key: text(row, 'key') }));
  }

  async verdicts(candidateId: string): Promise<readonly NarrowStepOutput[]> {
    const rows = await this.database.read('SELECT * EXCLUDE (output) FROM step_outputs WHERE candidate_id = $1 ORDER BY no', [candidateId]);
    return rows.map((row) => ({ ...narrowStepOutput(row), key: text(row, 'key') }));
  }

  async outcomes(candidateId: string): Promise<readonly TracedOutcome[]> {
    const rows = await this.database.read('SELECT * EXCLUDE (example) FROM outcomes WHERE candidate_id = $1 ORDER BY no', [candidateId]);
    return rows.map((row) => tracedOutcome(row));
  }

  async attempts(candidateId: string): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
    return attemptsOf(
      this.database,
      await this.database.read('SELECT * FROM calls WHERE candidate_id = $1 ORDER BY call_no', [candidateId]),
    );
  }

  async places(id: string): Promise<readonly RowPlace[]> {
    const loads = await this.database.read(
      `SELECT load_no, arg_max(id, order_no) AS id, max(order_no) AS latest, arg_min(created_at, order_no) AS created_at
       FROM orders WHERE load_no IN (SELECT load_no FROM candidates WHERE candidate_id = $1 OR source_id = $1)
       GROUP BY load_no ORDER BY latest`,
      [id],
    );
    const places: RowPlace[] = [];
    for (const load of loads) {
      const [found] = await readCandidates(this.database, number(load, 'load_no'), '(candidate_id = $1 OR source_id = $1)', [id]);
      if (found !== undefined) places.push({ ...found, orderId: text(load, 'id'), createdAt: number(load, 'created_at') });
    }
    return places;
  }

  async rejectionsOf(sourceId: string): Promise<readonly (RowRejection & { readonly orderId: string })[]> {
    const rows = await this.database.read(
      `SELECT DISTINCT ON (load_no, rejection_no) r.*, o.id AS order_id, o.order_no FROM row_rejections r JOIN orders o USING (load_no)
       WHERE source_id = $1 ORDER BY order_no DESC`,
      [sourceId],
    );
    return rows.map((row) => ({
      orderId: text(row, 'order_id'),
      source: text(row, 'source'),
      sourceDataset: text(row, 'source_dataset'),
      sourceId: text(row, 'source_id'),
      reason: text(row, 'reason'),
      detail: text(row, 'detail'),
      origin: { file: text(row, 'file'), row: number(row, 'file_row') },
    }));
  }

  async idsWithPrefix(orderId: string, prefix: string, limit: number): Promise<readonly string[]> {
    const rows = await this.ofOrder(
      orderId,
      `SELECT candidate_id AS id FROM own WHERE starts_with(candidate_id, $1) ORDER BY id LIMIT ${limit}`,
      [prefix],
    );
    return rows.map((row) => text(row, 'id'));
  }

  async nearestIds(orderId: string, wrong: string, limit: number): Promise<readonly string[]> {
    const rows = await this.ofOrder(
      orderId,
      `SELECT id FROM (SELECT candidate_id AS id FROM own UNION ALL SELECT source_id FROM own UNION ALL SELECT source_id FROM set_aside)
       GROUP BY id ORDER BY jaro_winkler_similarity(id, $1) DESC, id LIMIT ${limit}`,
      [wrong],
    );
    return rows.map((row) => text(row, 'id'));
  }

  async outcomeMark(pipelineHash: string): Promise<string> {
    const [row] = await this.database.read(
      `SELECT outcome, outcomes, waiver, waivers
       FROM (SELECT coalesce(max(no), 0) AS outcome, count(*) AS outcomes FROM outcomes WHERE pipeline_hash = $1),
            (SELECT coalesce(max(no), 0) AS waiver, count(*) AS waivers FROM waivers WHERE pipeline_hash = $1)`,
      [pipelineHash],
    );
    return ['outcome', 'outcomes', 'waiver', 'waivers'].map((name) => (row === undefined ? 0 : number(row, name))).join(' ');
  }

  async trailOutputs(run: RunScope, step: StepId, candidateIds: readonly string[]): ReturnType<LineageStore['trailOutputs']> {
    if (candidateIds.length === 0) return [];
    const rows = await this.ofOrder(
      run.orderId,
      `, trails AS (
         SELECT candidate_id, unnest(string_split(trail, ',')) AS key FROM outcomes JOIN own USING (candidate_id, row_hash)
         WHERE pipeline_hash = $1 AND candidate_id IN (SELECT unnest($3)) AND status = 'accepted'
         QUALIFY row_number() OVER (PARTITION BY candidate_id ORDER BY no DESC) = 1)
       SELECT candidate_id, output FROM step_outputs
       WHERE step = $2 AND verdict = 'accepted' AND key IN (SELECT key FROM trails) ORDER BY candidate_id`,
      [run.pipelineHash, step, candidateIds],
    );
    return rows.map((row) => ({ candidateId: text(row, 'candidate_id'), output: text(row, 'output') }));
  }

  async costOf({ orderId, pipelineHash }: RunScope): Promise<CostSum> {
    const [row] = await this.ofOrder(
      orderId,
      `SELECT count(*) AS calls, coalesce(sum(cost_micro_usd), 0)::DOUBLE AS micro_usd, count(*) FILTER (cost_micro_usd IS NULL) AS unknown
       FROM (SELECT DISTINCT unnest(from_json(call_keys, '["VARCHAR"]')) AS key FROM own JOIN outcomes USING (candidate_id, row_hash)
             WHERE pipeline_hash = $1)
       JOIN calls USING (key) LEFT JOIN completions USING (call_no)`,
      [pipelineHash],
    );
    if (row === undefined) return { calls: 0, microUsd: 0, unknownCalls: 0 };
    return { calls: number(row, 'calls'), microUsd: number(row, 'micro_usd'), unknownCalls: number(row, 'unknown') };
  }

  async digests(run: RunScope): ReturnType<LineageStore['digests']> {
    const rows = await this.ofOrder(
      run.orderId,
      `SELECT candidate_id, hash, query_words, memory_words, atoms, blocks, level_a, level_b, level_c
       FROM (SELECT candidate_id, max(no) AS no FROM outcomes JOIN own USING (candidate_id, row_hash)
             WHERE pipeline_hash = $1 AND status = 'accepted' GROUP BY candidate_id)
       LEFT JOIN example_digests USING (no) ORDER BY no`,
      [run.pipelineHash],
    );
    return rows.map((row) => ({ candidateId: text(row, 'candidate_id'), digest: row['hash'] === null ? null : digestFrom(row) }));
  }

  async examples(run: RunScope, candidateIds: readonly string[]): ReturnType<LineageStore['examples']> {
    if (candidateIds.length === 0) return [];
    // Numbers first, from narrow columns: the texts are then read in the few blocks where they lie.
    const latest = await this.ofOrder(
      run.orderId,
      `SELECT max(no) AS no FROM outcomes JOIN own USING (candidate_id, row_hash)
       WHERE pipeline_hash = $1 AND status = 'accepted' AND candidate_id IN (SELECT unnest($2)) GROUP BY candidate_id`,
      [run.pipelineHash, candidateIds],
    );
    const numbers = latest.map((row) => number(row, 'no'));
    const rows = await rowsByNumber(this.database, 'outcomes', 'no', 'candidate_id, example', numbers);
    return rows.flatMap((row) => {
      const example = textOrNull(row, 'example');
      return example === null ? [] : [{ candidateId: text(row, 'candidate_id'), example }];
    });
  }

  async measures(orderId: string, candidateIds: readonly string[]): ReturnType<LineageStore['measures']> {
    if (candidateIds.length === 0) return [];
    const rows = await this.ofOrder(
      orderId,
      'SELECT candidate_id, source, topic, complexity FROM own WHERE candidate_id IN (SELECT unnest($1)) ORDER BY candidate_id',
      [candidateIds],
    );
    return rows.map((row) => ({
      candidateId: text(row, 'candidate_id'),
      source: text(row, 'source'),
      topic: text(row, 'topic'),
      complexity: text(row, 'complexity'),
    }));
  }

  async releasesOf(exampleId: string): ReturnType<LineageStore['releasesOf']> {
    const rows = await this.database.read('SELECT release_id, split FROM release_members WHERE example_id = $1 ORDER BY no', [exampleId]);
    return rows.map((row) => ({ releaseId: text(row, 'release_id'), split: oneOf(row, 'split', ['train', 'test']) }));
  }

  /** Runs a query over `own` (the candidates of an order) and `set_aside` (the rows it rejected). */
  private async ofOrder(orderId: string, sql: string, params: readonly (string | readonly string[])[]): ReturnType<Database['read']> {
    const loadNo = await loadNumber(this.database, orderId);
    if (loadNo === null) return [];
    return this.database.read(
      `WITH own AS (SELECT * FROM candidates WHERE load_no = ${loadNo}), set_aside AS (SELECT * FROM row_rejections WHERE load_no = ${loadNo})${sql.startsWith(',') ? '' : ' '}${sql}`,
      params,
    );
  }
}
