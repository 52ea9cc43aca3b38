import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, test } from 'vitest';
import { seededUniforms } from '../../schemas/hash.ts';
import { STEPS } from '../../schemas/steps.ts';
import { exportHashes, ledgerCounts } from '../support/exports.ts';
import { askingServer, isAlive, killNow, makeProject, startRehearsal, until } from '../support/project.ts';
import type { Running, TestProject, TestRehearsal } from '../support/project.ts';
import { tempFolders } from '../support/temp-folder.ts';

const KILLS = 30;
const CONCURRENCY = 8;
const LONGEST_WAIT_MS = 1200;
/** An owner is as likely struck while it begins as while its calls are out: every second time its first calls are waited for. */
const FIRST_CALLS_MS = 5000;
/** A reply that came shortly before the kill may not have been committed: such a call counts as in flight. */
const COMMIT_MS = 250;
const VICTIMS = ['owner', 'temporal', 'server'] as const;
/** Faults a run survives with the reply it would have had without them; no `reset`, so that a broken line means a killed server. */
const FAULTS = [
  'rate_limited_retry_after',
  'server_error',
  'blank',
  'html',
  'error_in_200',
  'fences',
  'think_tags',
  'slow_drip',
  'clock_skew',
];

const folder = tempFolders();
const cleanUps: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}, 60_000);

function project(url: string): TestProject {
  const construction = { chunkSize: 8, window: 2 };
  const made = makeProject({ target: { health: 8, general: 8, coding: 8 }, construction, ...askingServer(url, CONCURRENCY) });
  cleanUps.push(() => made.cleanUp());
  return made;
}

/** A server with faults that can be killed and comes back on its port; counts outlive it. */
class Mortal {
  readonly #args: readonly string[];
  #server: TestRehearsal;
  #callsBefore = 0;

  private constructor(server: TestRehearsal, args: readonly string[]) {
    this.#server = server;
    this.#args = args;
  }

  static async start(): Promise<Mortal> {
    const file = join(folder(), 'faults.json');
    const rules = FAULTS.map((fault) => ({ fault, rate: 0.3 / FAULTS.length, tasks: STEPS, durationMs: 300, retryAfterSeconds: 0.2 }));
    writeFileSync(file, JSON.stringify({ seed: 'kills-1', rules }));
    const args = ['--latency', '100', '--faults', file];
    return new Mortal(await startRehearsal(...args), args);
  }

  get url(): string {
    return this.#server.url;
  }

  /** Calls received, and those still being answered. */
  async counts(): Promise<{ readonly calls: number; readonly inFlight: number }> {
    return { calls: this.#callsBefore + (await this.#server.calls()), inFlight: await this.#server.inFlight() };
  }

  async kill(): Promise<void> {
    this.#callsBefore += await this.#server.calls();
    await this.#server.stop();
    this.#server = await startRehearsal('--port', new URL(this.url).port, ...this.#args);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

/** Attempts that reached the server and whose answer is in the ledger: a broken line brings none. */
async function answeredAttempts(made: TestProject): Promise<number> {
  const instance = await DuckDBInstance.create(join(made.folder, 'memcalib.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    const sql = "SELECT count(*) FROM completions WHERE class <> 'network'";
    return Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0] ?? 0);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Ends a victim; the owner is held still meanwhile, so that the calls in flight are counted at the kill itself. */
async function strike(victim: (typeof VICTIMS)[number], made: TestProject, server: Mortal): Promise<number | null> {
  const owner = made.owner();
  if (owner === null || !isAlive(owner.pid)) return null;
  if (victim === 'temporal') {
    if (owner.temporalPid === null) return null;
    killNow(owner.temporalPid);
    return 0;
  }
  const before = await server.counts();
  await new Promise((resolve) => setTimeout(resolve, COMMIT_MS));
  process.kill(owner.pid, 'SIGSTOP');
  const now = await server.counts();
  if (victim === 'owner') killNow(owner.pid);
  else {
    await server.kill();
    process.kill(owner.pid, 'SIGCONT');
  }
  return before.inFlight + now.calls - before.calls;
}

/** Waits for the next call, but not for ever: a build may have no more to ask. */
async function callsBegin(server: Mortal): Promise<void> {
  const { calls } = await server.counts();
  const deadline = Date.now() + FIRST_CALLS_MS;
  await until('the next call', async () => (Date.now() > deadline || (await server.counts()).calls > calls ? true : null));
}

async function buildWhole(made: TestProject): Promise<number | null> {
  for (let turn = 0; ; turn += 1) {
    const { code, output } = await made.run('build');
    if (code === 0 || code === 6 || turn === 4) return code;
    expect(code, output).toBe(5);
    await made.run('retry', '--failed');
  }
}

test(`${KILLS} random kill -9 of owner, Temporal child and server under faults leave a byte-equal export and repay no more than was in flight`, async () => {
  const calm = await Mortal.start();
  cleanUps.push(() => calm.stop());
  const smooth = project(calm.url);
  const ended = await buildWhole(smooth);
  const wanted = await exportHashes(smooth);
  await smooth.endOwner('SIGTERM');

  const server = await Mortal.start();
  cleanUps.push(() => server.stop());
  const rough = project(server.url);
  const draw = seededUniforms('kills-under-faults-1');
  const killed = { owner: 0, temporal: 0, server: 0 };
  let inFlight = 0;
  let onTheWire = 0;
  let build: Running | null = null;
  for (let kills = 0; kills < KILLS;) {
    if (build === null || build.child.exitCode !== null) build = rough.start('build');
    const running: Running = build;
    await until('an owner at work', () => (rough.owner() !== null || running.child.exitCode !== null ? true : null));
    if (draw() < 0.5) await callsBegin(server);
    await new Promise((resolve) => setTimeout(resolve, draw() * LONGEST_WAIT_MS));
    const victim = VICTIMS[Math.floor(draw() * VICTIMS.length)] ?? 'owner';
    const lost = await strike(victim, rough, server);
    if (lost === null) continue;
    inFlight += lost;
    onTheWire += lost > 0 ? 1 : 0;
    killed[victim] += 1;
    kills += 1;
    if (victim === 'owner') await running.ended;
  }
  await build?.ended;
  expect(await buildWhole(rough)).toBe(ended);
  expect(await exportHashes(rough)).toEqual(wanted);
  await rough.endOwner('SIGTERM');

  const ledger = await ledgerCounts(rough);
  const { calls } = await server.counts();
  const repaid = calls - (await answeredAttempts(rough));
  const facts = `kills ${JSON.stringify(killed)}, ${onTheWire} with calls on the wire: ${calls} calls at the server for ${ledger.keys} keys, ${repaid} repaid, ${inFlight} in flight at the kills, ${ledger.unfinished} attempts without completion, ${ledger.duplicates} answered twice`;
  process.stdout.write(`${facts}\n`);
  expect(repaid, facts).toBeLessThanOrEqual(inFlight);
  expect(ledger.duplicates, facts).toBe(0);
  expect(onTheWire, facts).toBeGreaterThanOrEqual(KILLS / 3);
});
