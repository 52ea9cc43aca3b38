import { afterAll, expect, test } from 'vitest';
import { STAGES, STEPS_OF_STAGE } from '../../schemas/steps.ts';
import type { ConfigInput } from '../../schemas/config.ts';
import { exportHashes, ledgerCounts } from '../support/exports.ts';
import { askingServer, killNow, makeProject, startRehearsal, until } from '../support/project.ts';
import type { TestProject, TestRehearsal } from '../support/project.ts';

const cleanUps: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}, 60_000);

const CONCURRENCY = 8;

function project(url: string): TestProject {
  const config: Partial<ConfigInput> = {
    target: { health: 2, general: 2, coding: 2 },
    construction: { chunkSize: 4, window: 2 },
    ...askingServer(url, CONCURRENCY),
  };
  const made = makeProject(config);
  cleanUps.push(() => made.cleanUp());
  return made;
}

/** Waits for a call of a step beyond those made before; then a stage has begun, and its reply has not come back yet. */
async function untilAsked(server: TestRehearsal, step: string, before: number): Promise<void> {
  await until(`a call of ${step}`, async () => ((await server.callsOf(step)) > before ? true : null), { everyMs: 8 });
}

/** The same command again, a kill -9 of the owner once the stage has begun; gives the calls in flight at the kill. */
async function buildAndKill(built: TestProject, server: TestRehearsal, step: string, meanwhile: () => Promise<void>): Promise<number> {
  const before = await server.callsOf(step);
  const build = built.start('build');
  const early = build.ended.then(({ code, output }) => {
    throw new Error(`the build ended with code ${String(code)} before it asked ${step}: ${output}`);
  });
  // Once the call is seen, its end is looked at below.
  early.catch(() => undefined);
  await Promise.race([untilAsked(server, step, before), early]);
  await meanwhile();
  const owner = built.owner();
  expect(owner, `an owner is at work on ${step}`).not.toBeNull();
  const inFlight = await server.inFlight();
  await built.endOwner('SIGKILL');
  const { code, output } = await build.ended;
  expect({ step, code, again: output.includes('type the same command again') }).toEqual({ step, code: 8, again: true });
  await until('the last answers of the server', async () => ((await server.inFlight()) === 0 ? true : null));
  return inFlight;
}

async function killTemporal(built: TestProject): Promise<void> {
  const pid = built.owner()?.temporalPid ?? null;
  if (pid === null) throw new Error('the owner names no Temporal server');
  killNow(pid);
  await until('another Temporal server', () => {
    const next = built.owner()?.temporalPid ?? null;
    return next === null || next === pid ? null : next;
  });
}

test('a kill -9 of the owner in every stage and one of the Temporal server leave a byte-equal export and repay no more than was in flight', async () => {
  const server = await startRehearsal('--latency', '60');
  cleanUps.push(() => server.stop());
  const smooth = project(server.url);
  const { code, output } = await smooth.run('build');
  expect(code, output).toBe(0);
  const wanted = await exportHashes(smooth);
  await smooth.endOwner('SIGTERM');
  const baseline = await server.calls();

  const rough = project(server.url);
  let inFlight = 0;
  for (const stage of STAGES) {
    const meanwhile = stage === 'distractors' ? () => killTemporal(rough) : () => Promise.resolve();
    inFlight += await buildAndKill(rough, server, STEPS_OF_STAGE[stage][0] ?? '', meanwhile);
  }
  const started = Date.now();
  const last = await rough.run('build');
  expect(last.code, last.output).toBe(0);
  expect(await exportHashes(rough)).toEqual(wanted);

  const callsBefore = await server.calls();
  const again = await rough.run('build');
  expect(again.code, again.output).toBe(0);
  expect(await server.calls(), 'a build with nothing to do asks nothing').toBe(callsBefore);
  await rough.endOwner('SIGTERM');

  const ledger = await ledgerCounts(rough);
  const repaid = callsBefore - baseline - ledger.keys;
  const facts = `${callsBefore - baseline} calls for ${ledger.keys} keys: ${repaid} repaid, ${ledger.unfinished} unfinished, ${inFlight} in flight at the kills, last build ${Date.now() - started} ms`;
  process.stdout.write(`${facts}\n`);
  expect(repaid, facts).toBeLessThanOrEqual(ledger.unfinished);
  expect(ledger.unfinished, facts).toBeLessThanOrEqual(STAGES.length * CONCURRENCY * 2);
}, 400_000);
