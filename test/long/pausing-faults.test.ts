import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reopenFailed } from '../../cli/owner/failed-candidates.ts';
import type { FaultRule } from '../../llm/rehearsal/faults.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import type { RehearsalServer } from '../../llm/rehearsal/server.ts';
import { STEPS } from '../../schemas/steps.ts';
import { demoConfig, openInProcess } from '../support/in-process-build.ts';
import type { InProcess } from '../support/in-process-build.ts';

const CONCURRENCY = 4;
/** One file of the demo: few rows, every step. */
const FEW = demoConfig('http://127.0.0.1:1/v1').sources.slice(0, 1);
const PRICES = { 'mock/rehearsal': { inputPerMillionUsd: 5, outputPerMillionUsd: 15 } };

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(rules: readonly FaultRule[]): Promise<RehearsalServer> {
  const server = await startRehearsalServer({ faults: { seed: 'pauses', rules } });
  open.push(() => server.close());
  return server;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'memcalib-pauses-'));
  open.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function configOf(url: string, over: Parameters<typeof demoConfig>[1] = {}) {
  const provider = { baseUrl: url, concurrency: CONCURRENCY, timeoutSeconds: 30, structuredOutput: 'json_schema' as const };
  return demoConfig(url, { sources: FEW, providers: { mock: provider }, ...over });
}

async function spentMicroUsd(project: InProcess): Promise<number> {
  return (await project.store.ledger.spent({ runId: 'run-1' })).microUsd;
}

describe('a fault that pauses stops the run without a failed candidate, and a resume ends it', () => {
  it.each<[string, FaultRule, RegExp]>([
    ['an empty account', { fault: 'no_credit', calls: [30], tasks: STEPS }, /quota|credit|billing/i],
    [
      'a renamed model',
      { fault: 'renamed_model', calls: [60], tasks: STEPS, models: ['rehearsal'] },
      /returned name .* changed from rehearsal to rehearsal-2/i,
    ],
  ])('%s', async (_, rule, reads) => {
    const server = await serve([rule]);
    const project = await openInProcess(folder());
    open.push(() => project.close());
    const config = configOf(server.url);
    const stopped = await project.drive('run-1', 'main', config);
    expect(stopped.kind).toBe('paused');
    expect(project.gates.closed('main')?.reason).toMatch(reads);
    const calls = server.stats().calls;
    expect(await project.drive('run-1', 'main', config)).toMatchObject({ kind: 'paused' });
    expect(server.stats().calls, 'a closed gate sends nothing').toBe(calls);
    await project.resume('main');
    expect(await project.drive('run-1', 'main', config)).toEqual({ kind: 'ended', verdict: 'dry', reason: '' });
  });

  it('pauses when none of the first replies of a step can be used, shows one, and goes on once the model answers properly', async () => {
    const calls = Array.from({ length: 30 }, (_, at) => at + 1);
    const server = await serve([{ fault: 'prose', calls, tasks: ['screen'] }]);
    const project = await openInProcess(folder());
    open.push(() => project.close());
    const config = configOf(server.url, { sources: demoConfig(server.url).sources.slice(0, 2) });
    expect(await project.drive('run-1', 'main', config)).toMatchObject({ kind: 'paused' });
    expect(project.gates.closed('main')?.reason).toMatch(/None of the first 20 replies of rehearsal to step screen .*It begins: Of course/);
    expect(server.stats().calls).toBeLessThanOrEqual(20 + 2 * CONCURRENCY + 3);
    await project.resume('main');
    expect(await project.drive('run-1', 'main', config)).toMatchObject({ kind: 'ended', verdict: 'stuck' });
    expect((await reopenFailed(project.store, { label: 'main', class: null })).candidates).toBeGreaterThan(0);
    expect(await project.drive('run-1', 'main', config)).toMatchObject({ kind: 'ended', verdict: 'dry' });
  });

  it('waits for the end of a daily quota by itself, and sends nothing before', async () => {
    const seconds = 3700;
    const server = await serve([{ fault: 'daily_quota', calls: [25], tasks: STEPS, retryAfterSeconds: seconds }]);
    const project = await openInProcess(folder());
    open.push(() => project.close());
    const before = Date.now();
    const stopped = await project.drive('run-1', 'main', configOf(server.url));
    expect(stopped.kind).toBe('paused');
    const until = project.gates.closed('main')?.until ?? 0;
    expect(until).toBeGreaterThanOrEqual(before + seconds * 1000);
    expect(until).toBeLessThan(Date.now() + (seconds + 60) * 1000);
    await project.resume('main');
    expect(await project.drive('run-1', 'main', configOf(server.url))).toMatchObject({ kind: 'ended', verdict: 'dry' });
  });
});

describe('a cap of $0.50', () => {
  it('pauses at no more than $0.50, survives a restart, and goes on under a cap of $2 that outlives restarts too', async () => {
    const server = await serve([]);
    const where = folder();
    const config = configOf(server.url, {
      sources: demoConfig(server.url).sources.slice(0, 3),
      prices: PRICES,
      budget: { perRunUsd: 0.5 },
    });
    const first = await openInProcess(where);
    expect(await first.drive('run-1', 'main', config)).toMatchObject({ kind: 'paused' });
    expect(first.gates.closed('main')?.reason).toMatch(/cap of \$0\.50 for run run-1 is reached/);
    const spent = await spentMicroUsd(first);
    expect(spent).toBeGreaterThan(300_000);
    expect(spent).toBeLessThanOrEqual(500_000);
    await first.close();

    const calls = server.stats().calls;
    const second = await openInProcess(where);
    expect(await second.drive('run-1', 'main', config)).toMatchObject({ kind: 'paused' });
    expect(server.stats().calls, 'nothing is sent after the restart').toBe(calls);
    await second.models.raiseCap('run-1', 2);
    await second.close();

    const third = await openInProcess(where);
    open.push(() => third.close());
    await third.resume('main');
    const end = await third.drive('run-1', 'main', config);
    const after = await spentMicroUsd(third);
    process.stdout.write(`stopped at $${(spent / 1e6).toFixed(4)} of $0.50; then ${end.kind} at $${(after / 1e6).toFixed(4)} of $2\n`);
    expect(after).toBeGreaterThan(500_000);
    expect(after).toBeLessThanOrEqual(2_000_000);
  });
});
