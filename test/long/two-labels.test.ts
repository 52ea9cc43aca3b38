import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatusReport } from '../../cli/queries/status.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import type { RehearsalServer } from '../../llm/rehearsal/server.ts';
import type { ConfigInput } from '../../schemas/config.ts';
import { countingProxy, peakOfMinute } from '../support/counting-proxy.ts';
import type { CountingProxy } from '../support/counting-proxy.ts';
import { makeProject, until } from '../support/project.ts';
import type { Ended, TestProject } from '../support/project.ts';

const LIMITS = { concurrency: 6, requestsPerMinute: 300, tokensPerMinute: 600_000 };
const TARGET = { health: 3, general: 3, coding: 3 };
/** One model for all roles, so that all share one set of limits; the temperatures tell the server who asks. */
const ROLES = { builder: 0, reviewerA: 0.1, reviewerB: 0.2 };

function configFor(url: string, seed: string): Partial<ConfigInput> {
  const model = (temperature: number) => ({ provider: 'server', model: 'rehearsal', temperature });
  return {
    seed,
    target: TARGET,
    construction: { chunkSize: 10, window: 2 },
    providers: { server: { baseUrl: url, structuredOutput: 'json_schema', timeoutSeconds: 60, ...LIMITS } },
    models: { builder: model(ROLES.builder), reviewerA: model(ROLES.reviewerA), reviewerB: model(ROLES.reviewerB) },
  };
}

describe('two labels at once on one endpoint', () => {
  let server: RehearsalServer;
  let proxy: CountingProxy;
  let project: TestProject;
  let ends: readonly Ended[] = [];
  const reports: StatusReport[] = [];

  beforeAll(async () => {
    server = await startRehearsalServer();
    proxy = await countingProxy(server.url, 60);
    project = makeProject(configFor(proxy.url, 'first'));
    const first = project.start('build', '--label', 'first');
    await until('the first build to ask something', () => (proxy.calls.length > 5 ? true : null));
    project.writeConfig(configFor(proxy.url, 'second'));
    const second = project.start('build', '--label', 'second');
    ends = await Promise.all([first.ended, second.ended]);
    for (const label of ['first', 'second'])
      reports.push(JSON.parse((await project.run('status', '--json', '--label', label)).output) as StatusReport);
    const minutes = ((proxy.calls.at(-1)?.leftAt ?? 0) - (proxy.calls[0]?.arrivedAt ?? 0)) / 60_000;
    process.stdout.write(
      `${proxy.calls.length} calls in ${minutes.toFixed(1)} min; at most ${proxy.peak()} at once, ${peakOfMinute(proxy.calls, () => 1)} and ${peakOfMinute(proxy.calls, ({ tokens }) => tokens)} tokens in any minute\n`,
    );
  }, 600_000);
  afterAll(async () => {
    await project?.cleanUp();
    await Promise.all([proxy?.close(), server?.close()]);
  });

  it('both reach their targets, with balanced books, under one owner', () => {
    expect(ends.map(({ code, output }) => (code === 0 ? 0 : output))).toEqual([0, 0]);
    for (const report of reports) {
      expect(report.state).toBe('completed');
      expect(report.books.flatMap((line) => line.imbalance ?? [])).toEqual([]);
      expect(report.calls.ofThisRun).toBeGreaterThan(50);
    }
    expect(new Set(reports.map(({ runId }) => runId)).size).toBe(2);
  });

  it('never exceed the concurrency, the requests or the tokens of a minute', () => {
    expect(proxy.peak()).toBeLessThanOrEqual(LIMITS.concurrency);
    expect(proxy.peak()).toBeGreaterThan(LIMITS.concurrency / 2);
    expect(peakOfMinute(proxy.calls, () => 1)).toBeLessThanOrEqual(LIMITS.requestsPerMinute);
    expect(peakOfMinute(proxy.calls, ({ tokens }) => tokens)).toBeLessThanOrEqual(LIMITS.tokensPerMinute);
  });

  it('use what they may: the limit of a minute is reached', () => {
    const used = [
      peakOfMinute(proxy.calls, () => 1) / LIMITS.requestsPerMinute,
      peakOfMinute(proxy.calls, ({ tokens }) => tokens) / LIMITS.tokensPerMinute,
    ];
    expect(Math.max(...used)).toBeGreaterThan(0.9);
  });

  it.each(Object.entries(ROLES))('does not starve the %s', (_, temperature) => {
    const at = proxy.calls
      .filter((call) => call.temperature === temperature)
      .map(({ arrivedAt }) => arrivedAt)
      .sort((a, b) => a - b);
    expect(at.length).toBeGreaterThan(20);
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    // A minute that is used up makes everybody wait for the next one; more than that would be starving.
    expect(Math.max(...gaps)).toBeLessThan(2 * 60_250);
  });
});
