import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTemporalProgram, startTemporalServer } from '../../cli/owner/temporal-server.ts';
import type { TemporalServer } from '../../cli/owner/temporal-server.ts';
import { STAGES } from '../../schemas/steps.ts';
import type { BuildInput, BuildProgress, BuildResult } from '../../workflows/types.ts';
import { until } from '../support/project.ts';
import { ScriptedBuild, untilCancelled } from '../support/scripted-build.ts';

const BUNDLE = resolve(import.meta.dirname, '../../dist/workflow-bundle.js');
const HISTORIES = resolve(import.meta.dirname, '../fixtures/histories');
const RECORDS = process.env['MEMCALIB_RECORD_HISTORIES'] === '1';

const folder = mkdtempSync(join(tmpdir(), 'memcalib-workflows-'));
let server: TemporalServer;
let connection: Connection;
let native: NativeConnection;
let client: Client;

beforeAll(async () => {
  mkdirSync(join(folder, 'logs'));
  const program = findTemporalProgram(process.env);
  if (program === null) throw new Error('no Temporal program: type `node tools/setup.mjs` first');
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  server = await startTemporalServer({ program, folder, log: { info: () => undefined, warn: () => undefined }, env: process.env });
  connection = await Connection.connect({ address: server.address });
  native = await NativeConnection.connect({ address: server.address });
  client = new Client({ connection });
}, 120_000);

afterAll(async () => {
  await native.close();
  await connection.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

type Handle = WorkflowHandle<(input: BuildInput) => Promise<BuildResult>>;

async function record(name: string, handle: Handle, runId: string): Promise<void> {
  if (!RECORDS) return;
  mkdirSync(HISTORIES, { recursive: true });
  const history = await client.workflow.getHandle(handle.workflowId, runId).fetchHistory();
  writeFileSync(join(HISTORIES, `${name}.json`), `${historyToJSON(history)}\n`);
}

/** Runs one scripted build with a worker of its own while `during` acts on it; gives its result. */
async function runBuild(
  name: string,
  script: ScriptedBuild,
  during: (handle: Handle) => Promise<void> = () => Promise.resolve(),
  extra: Partial<BuildInput> = {},
): Promise<{ readonly result: BuildResult; readonly runs: number }> {
  const worker = await Worker.create({
    connection: native,
    taskQueue: name,
    workflowBundle: { codePath: BUNDLE },
    activities: { ...script.activities() },
    maxHeartbeatThrottleInterval: '100ms',
  });
  return worker.runUntil(async () => {
    const handle = await client.workflow.start<(input: BuildInput) => Promise<BuildResult>>('buildDataset', {
      taskQueue: name,
      workflowId: name,
      args: [{ runId: 'run', label: 'main', searchable: false, ...extra }],
    });
    await during(handle);
    const result = await handle.result();
    await record(name, handle, handle.firstExecutionRunId);
    const { runId } = await client.workflow.getHandle(name).describe();
    return { result, runs: runId === handle.firstExecutionRunId ? 1 : 2 };
  });
}

const inOrder = (values: readonly number[]): readonly number[] => [...values].sort((a, b) => a - b);

test('a build keeps its window full, refills it, and takes every chunk through the six stages once', async () => {
  const script = new ScriptedBuild(5, 2);
  const { result } = await runBuild('completed', script);
  expect(result).toEqual({ state: 'completed', accepted: { health: 5, general: 0, coding: 0 } });
  expect(inOrder(script.ended)).toEqual([0, 1, 2, 3, 4]);
  expect(script.stages.toSorted()).toEqual([0, 1, 2, 3, 4].flatMap((chunk) => STAGES.map((stage) => `${chunk} ${stage}`)).toSorted());
  expect(script.peakInFlight).toBeLessThanOrEqual(2);
  expect(script.states).toEqual(['completed']);
}, 120_000);

test('a chunk that meets a closed gate pauses the build until a person resumes it', async () => {
  const script = new ScriptedBuild(3, 1);
  let isPaused = true;
  script.hook = (position, stage) =>
    isPaused && position === 1 && stage === 'derivation' ? { kind: 'paused', reason: 'budget', until: null } : null;
  const { result } = await runBuild('paused-and-resumed', script, async (handle) => {
    await until('the pause', () => (script.states.includes('paused: budget') ? true : null));
    const progress = await handle.query<BuildProgress>('progress');
    expect(progress).toMatchObject({ state: 'paused', reason: 'budget', chunksInFlight: 0 });
    isPaused = false;
    await handle.signal('resume');
  });
  expect(result.state).toBe('completed');
  expect(inOrder(script.ended)).toEqual([0, 1, 2]);
  expect(script.states).toEqual(['paused: budget', 'running', 'completed']);
}, 120_000);

test('a pause with a time ends by itself', async () => {
  const script = new ScriptedBuild(2, 1);
  let endsAt = 0;
  script.hook = (_position, stage) => {
    if (stage !== 'atomization' || endsAt > 0) return null;
    endsAt = Date.now() + 3000;
    return { kind: 'paused', reason: 'quota', until: endsAt };
  };
  const { result } = await runBuild('timed-pause', script);
  expect(result.state).toBe('completed');
  expect(script.states.slice(0, 2)).toEqual(['paused: quota', 'running']);
  expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
}, 120_000);

test('a build that failed candidates hold back pauses with the reason, and goes on when woken', async () => {
  const script = new ScriptedBuild(2, 2);
  script.stuck = true;
  const { result } = await runBuild('stuck', script, async (handle) => {
    await until('the pause', () => (script.states.includes('paused: one candidate failed') ? true : null));
    script.stuck = false;
    await handle.signal('resume');
  });
  expect(result.state).toBe('completed');
  expect(inOrder(script.ended)).toEqual([0, 1]);
}, 120_000);

test('chunks that wait for a batch are taken up again once it is answered, by the timer or when a person says so', async () => {
  const script = new ScriptedBuild(3, 3);
  let isAnswered = false;
  let looks = 0;
  let saidGo = false;
  script.hook = (position, stage) =>
    !isAnswered && position > 0 && stage === 'derivation' ? { kind: 'done', alive: 0, failed: 0, batched: 1 } : null;
  script.batches = (asked) => {
    looks += 1;
    saidGo ||= asked;
    if (saidGo) isAnswered = true;
    return isAnswered ? { kind: 'ready' } : { kind: 'waiting', sentence: 'two files', pollAfterMs: looks < 3 ? 50 : 600_000, until: null };
  };
  const { result } = await runBuild('batched', script, async (handle) => {
    await until('three looks', () => (looks === 3 ? true : null));
    expect(await handle.query<BuildProgress>('progress')).toMatchObject({ state: 'waiting', reason: 'two files', chunksInFlight: 0 });
    expect(script.ended, 'the chunk that waits for nothing has ended').toEqual([0]);
    await handle.signal('resume');
  });
  expect(result.state).toBe('completed');
  expect(inOrder(script.ended)).toEqual([0, 1, 2]);
  expect(script.states).toEqual([...Array<string>(3).fill('waiting: two files'), 'running', 'completed']);
}, 120_000);

test('a cancel ends a build that waits for a batch', async () => {
  const script = new ScriptedBuild(1, 1);
  script.hook = () => ({ kind: 'done', alive: 0, failed: 0, batched: 1 });
  script.batches = () => ({ kind: 'waiting', sentence: 'a file', pollAfterMs: 600_000, until: null });
  const { result } = await runBuild('cancelled-waiting', script, async (handle) => {
    await until('the wait', () => (script.states.includes('waiting: a file') ? true : null));
    await handle.cancel();
  });
  expect(result.state).toBe('cancelled');
}, 120_000);

test('a cancel reaches running activities, waits for them and ends cleanly', async () => {
  const script = new ScriptedBuild(4, 2);
  let stopped = 0;
  script.hook = async (_position, stage) => {
    if (stage !== 'naturalization') return null;
    const end = await untilCancelled();
    stopped += 1;
    return end;
  };
  const { result } = await runBuild('cancelled', script, async (handle) => {
    await until('two chunks at work', () => (script.stages.filter((line) => line.endsWith('naturalization')).length === 2 ? true : null));
    await handle.cancel();
  });
  expect(result.state).toBe('cancelled');
  expect(stopped).toBe(2);
  expect(script.states).toEqual(['cancelled: cancelled by a person']);
}, 120_000);

test('a build drains its chunks before it continues as new, and loses none', async () => {
  const script = new ScriptedBuild(5, 2);
  const { result, runs } = await runBuild('continued-as-new', script, undefined, { chunksPerRun: 3 });
  expect(runs).toBe(2);
  expect(result.state).toBe('completed');
  expect(inOrder(script.ended), 'each chunk ends once').toEqual([0, 1, 2, 3, 4]);
}, 120_000);
