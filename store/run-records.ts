import type { Database } from './duckdb.ts';
import type { ReleaseMember } from './lineage-port.ts';
import type { GateRow, RunRow, RunStateRow, Store } from './port.ts';
import { number, numberOrNull, oneOf, text, type Param, type ResultRow } from './rows.ts';
import { defineTable, insertInto } from './table.ts';
import type { TextRepairs } from './text.ts';

const RUNS = defineTable('runs', {
  no: 'int',
  id: 'text',
  label: 'text',
  kind: 'text',
  pipeline_hash: 'text',
  order_id: 'text',
  seed: 'text',
  config: 'text',
  started_at: 'long',
});
const RUN_STATES = defineTable('run_states', { no: 'int', run_id: 'text', state: 'text', reason: 'text', until_ms: 'long', at_ms: 'long' });
const GATES = defineTable('gates', {
  no: 'int',
  scope: 'text',
  closed: 'int',
  reason: 'text',
  detail: 'text',
  until_ms: 'long',
  at_ms: 'long',
});
const RELEASES = defineTable('releases', { no: 'int', id: 'text', run_id: 'text', manifest: 'text', folder: 'text', at_ms: 'long' });
const MEMBERS = defineTable('release_members', { no: 'int', release_id: 'text', example_id: 'text', split: 'text' });
const FACTS = defineTable('facts', { no: 'int', name: 'text', value: 'text', at_ms: 'long' });
const WAIVERS = defineTable('waivers', { no: 'int', candidate_id: 'text', pipeline_hash: 'text', run_id: 'text', at_ms: 'long' });
const STATES = ['running', 'waiting', 'paused', 'completed', 'dry', 'cancelled', 'failed'] as const;

type ReleaseRow = Parameters<Store['putRelease']>[0];

/** Runs, their states, gates, releases, facts and waivers: small append-only tables whose highest number is the latest. */
export class RunRecords {
  private readonly database: Database;
  private readonly repairs: TextRepairs;
  private readonly nextNo: () => number;

  constructor(database: Database, repairs: TextRepairs, nextNo: () => number) {
    this.database = database;
    this.repairs = repairs;
    this.nextNo = nextNo;
  }

  /** Stores a run; an id stored before is left as it is. */
  async startRun(run: RunRow): Promise<void> {
    if ((await this.run(run.id)) !== null) return;
    const { id, label, kind, seed, config } = run;
    const row = { no: this.nextNo(), id, label, kind, pipeline_hash: run.pipelineHash, order_id: run.orderId, seed, config };
    await this.database.write([insertInto(RUNS, [{ ...row, started_at: run.startedAt }], this.repairs)]);
  }

  async run(id: string): Promise<RunRow | null> {
    const [row] = await this.database.read('SELECT * FROM runs WHERE id = $1 ORDER BY no LIMIT 1', [id]);
    return row === undefined ? null : runFrom(row);
  }

  async latestRun(label?: string): Promise<RunRow | null> {
    const row = await this.latest('runs', label === undefined ? null : 'label', label ?? null);
    return row === undefined ? null : runFrom(row);
  }

  async runs(): Promise<readonly RunRow[]> {
    return (await this.database.read('SELECT * FROM runs ORDER BY no')).map((row) => runFrom(row));
  }

  async putRunState({ runId, state, reason, until, at }: RunStateRow): Promise<void> {
    await this.database.write([
      insertInto(RUN_STATES, [{ no: this.nextNo(), run_id: runId, state, reason, until_ms: until, at_ms: at }], this.repairs),
    ]);
  }

  async runState(runId: string): Promise<RunStateRow | null> {
    const row = await this.latest('run_states', 'run_id', runId);
    if (row === undefined) return null;
    return {
      runId,
      state: oneOf(row, 'state', STATES),
      reason: text(row, 'reason'),
      until: numberOrNull(row, 'until_ms'),
      at: number(row, 'at_ms'),
    };
  }

  async waive(candidateIds: readonly string[], pipelineHash: string, runId: string): Promise<void> {
    const at = Date.now();
    const rows = candidateIds.map((id) => ({ no: this.nextNo(), candidate_id: id, pipeline_hash: pipelineHash, run_id: runId, at_ms: at }));
    await this.database.write([insertInto(WAIVERS, rows, this.repairs)]);
  }

  async setGate({ scope, closed, reason, detail, until, at }: GateRow): Promise<void> {
    const row = { no: this.nextNo(), scope, closed: closed ? 1 : 0, reason, detail, until_ms: until, at_ms: at };
    await this.database.write([insertInto(GATES, [row], this.repairs)]);
  }

  async gate(scope: string): Promise<GateRow | null> {
    const row = await this.latest('gates', 'scope', scope);
    if (row === undefined) return null;
    const closed = number(row, 'closed') === 1;
    return {
      scope,
      closed,
      reason: text(row, 'reason'),
      detail: text(row, 'detail'),
      until: numberOrNull(row, 'until_ms'),
      at: number(row, 'at_ms'),
    };
  }

  /** Stores a release and its members in one transaction. */
  async putRelease({ id, runId, manifest, folder, at }: ReleaseRow, members: readonly ReleaseMember[]): Promise<void> {
    await this.database.write([
      insertInto(RELEASES, [{ no: this.nextNo(), id, run_id: runId, manifest, folder, at_ms: at }], this.repairs),
      insertInto(
        MEMBERS,
        members.map(({ exampleId, split }) => ({ no: this.nextNo(), release_id: id, example_id: exampleId, split })),
        this.repairs,
      ),
    ]);
  }

  async releases(): Promise<readonly ReleaseRow[]> {
    const rows = await this.database.read('SELECT * FROM releases ORDER BY no');
    return rows.map((row) => ({
      id: text(row, 'id'),
      runId: text(row, 'run_id'),
      manifest: text(row, 'manifest'),
      folder: text(row, 'folder'),
      at: number(row, 'at_ms'),
    }));
  }

  async putFact(name: string, value: string): Promise<void> {
    await this.database.write([insertInto(FACTS, [{ no: this.nextNo(), name, value, at_ms: Date.now() }], this.repairs)]);
  }

  async fact(name: string): Promise<string | null> {
    // The number first: only then one value is read, and values are long.
    const [row] = await this.database.read('SELECT value FROM facts WHERE no = (SELECT max(no) FROM facts WHERE name = $1)', [name]);
    return row === undefined ? null : text(row, 'value');
  }

  /** Latest values of all facts whose names begin with a prefix. */
  async facts(prefix: string): Promise<readonly { readonly name: string; readonly value: string }[]> {
    const rows = await this.database.read(
      'SELECT name, arg_max(value, no) AS value FROM facts WHERE starts_with(name, $1) GROUP BY name ORDER BY name',
      [prefix],
    );
    return rows.map((row) => ({ name: text(row, 'name'), value: text(row, 'value') }));
  }

  private async latest(table: string, column: string | null, value: string | null): Promise<ResultRow | undefined> {
    const params: readonly Param[] = column === null ? [] : [value];
    const [row] = await this.database.read(
      `SELECT * FROM ${table} ${column === null ? '' : `WHERE ${column} = $1`} ORDER BY no DESC LIMIT 1`,
      params,
    );
    return row;
  }
}

function runFrom(row: ResultRow): RunRow {
  return {
    id: text(row, 'id'),
    label: text(row, 'label'),
    kind: oneOf(row, 'kind', ['build', 'sample'] as const),
    pipelineHash: text(row, 'pipeline_hash'),
    orderId: text(row, 'order_id'),
    seed: text(row, 'seed'),
    config: text(row, 'config'),
    startedAt: number(row, 'started_at'),
  };
}
