import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { StatusReport } from '../../cli/queries/status.ts';
import type { ConfigInput } from '../../schemas/config.ts';
import { STEPS } from '../../schemas/steps.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { askingServer, makeProject, startRehearsal, until } from '../support/project.ts';
import type { TestProject, TestRehearsal } from '../support/project.ts';

const CONCURRENCY = 4;
const PRICES = { 'server/rehearsal': { inputPerMillionUsd: 5, outputPerMillionUsd: 15 } };
const cleanUps: (() => Promise<void>)[] = [];
const folder = tempFolders();
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}, 60_000);

async function serve(...args: readonly string[]): Promise<TestRehearsal> {
  const server = await startRehearsal(...args);
  cleanUps.push(() => server.stop());
  return server;
}

function project(server: TestRehearsal, over: Partial<ConfigInput>): TestProject {
  const made = makeProject({ construction: { chunkSize: 10, window: 2 }, ...askingServer(server.url, CONCURRENCY), ...over });
  cleanUps.push(() => made.cleanUp());
  return made;
}

async function status(made: TestProject): Promise<StatusReport> {
  const { code, output } = await made.run('status', '--json');
  if (code !== 0) throw new Error(output);
  return JSON.parse(output) as StatusReport;
}

test('a cap of $0.50 pauses at no more than $0.50 and the calls in flight, survives a killed owner, and goes on after `resume --cap 2`', async () => {
  const server = await serve('--latency', '20');
  const made = project(server, { target: { health: 3, general: 3, coding: 3 }, prices: PRICES, budget: { perRunUsd: 0.5 } });
  const stopped = await made.run('build');
  expect(stopped.code, stopped.output).toBe(5);
  expect(stopped.output).toMatch(/cap of \$0\.50 for run \S+ is reached .*memcalib resume .*--cap 1/);
  const first = await status(made);
  expect(first.calls.microUsdOfThisRun).toBeLessThanOrEqual(500_000);
  expect(first.calls.microUsdOfThisRun).toBeGreaterThan(400_000);

  if (made.owner() !== null) await made.endOwner('SIGKILL');
  const asked = await server.calls();
  const again = await made.run('build');
  expect(again.code, again.output).toBe(5);
  expect(await server.calls(), 'nothing is sent under the same cap').toBe(asked);
  const refused = await made.run('resume', '--cap', '0.4');
  expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('has spent $0.') as string });

  const resumed = await made.run('resume', '--cap', '2');
  expect([0, 5], resumed.output).toContain(resumed.code);
  const last = await status(made);
  process.stdout.write(
    `stopped at $${(first.calls.microUsdOfThisRun / 1e6).toFixed(4)} of $0.50, after resume --cap 2 ${last.state} at $${(last.calls.microUsdOfThisRun / 1e6).toFixed(4)}\n`,
  );
  expect(last.calls.microUsdOfThisRun).toBeGreaterThan(500_000);
  expect(last.calls.microUsdOfThisRun).toBeLessThanOrEqual(2_000_000);
});

test('a daily quota pauses until the stated time, over a killed owner, and the build then ends by itself', async () => {
  const seconds = 30;
  const faults = join(folder(), 'faults.json');
  writeFileSync(
    faults,
    JSON.stringify({ seed: 'quota', rules: [{ fault: 'daily_quota', calls: [25], tasks: STEPS, retryAfterSeconds: seconds }] }),
  );
  const server = await serve('--faults', faults);
  const made = project(server, { target: { health: 1, general: 1, coding: 1 } });
  const before = Date.now();
  const first = made.start('build');
  const paused = await until('the pause', async () => {
    if (made.owner() === null) return null;
    const seen = await status(made).catch(() => null);
    return seen?.state === 'paused' ? seen : null;
  });
  expect(paused.until ?? 0).toBeGreaterThanOrEqual(before + seconds * 1000);
  expect(paused.until ?? 0).toBeLessThanOrEqual(Date.now() + seconds * 1000);
  const asked = await server.calls();
  await made.endOwner('SIGKILL');
  await first.ended;
  const second = made.start('build');
  while (Date.now() < (paused.until ?? 0) - 1000) {
    expect(await server.calls(), 'nothing is sent before the stated time').toBe(asked);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const { code, output } = await second.ended;
  expect(code, output).toBe(0);
  expect(Date.now()).toBeGreaterThanOrEqual(paused.until ?? 0);
});
