import { describe, expect, it } from 'vitest';
import { costText, sumsBy } from '../../cli/commands/cost.ts';
import { readCall, readCost } from '../../cli/queries/calls.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import { openStore } from '../../store/open.ts';
import { demoConfig, openInProcess } from '../support/in-process-build.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { join } from 'node:path';

const folder = tempFolders();
const PRICES = { 'mock/rehearsal': { inputPerMillionUsd: 5, outputPerMillionUsd: 15 } };

describe('calls and cost of a build with a priced builder and reviewers of unknown price', () => {
  it('add up: calls = steps = run = ledger, before and after a restart; unknown prices make a lower bound', async () => {
    const server = await startRehearsalServer();
    const where = folder();
    const project = await openInProcess(where);
    const sources = demoConfig(server.url).sources.slice(0, 1);
    const config = demoConfig(server.url, { sources, prices: PRICES });
    try {
      expect(await project.drive('run-1', 'main', config)).toMatchObject({ kind: 'ended' });
      expect(await project.drive('run-2', 'main', config)).toMatchObject({ kind: 'ended' });
    } finally {
      await project.close();
      await server.close();
    }
    const store = await openStore(join(where, 'memcalib.duckdb'), { readOnly: true });
    try {
      const report = await readCost(store, { label: 'main' });
      const lines = await store.calls({}, 100_000);
      const run = sumsBy(report.groups, 'runId').get('run-1');
      expect(server.stats().calls).toBe(lines.length);
      expect(lines.reduce((sum, line) => sum + (line.costMicroUsd ?? 0), 0)).toBe(report.total.microUsd);
      for (const [step, sums] of sumsBy(report.groups, 'step')) {
        const { microUsd, calls, unknownCalls } = sums;
        expect(await store.ledger.spent({ step }), step).toEqual({ microUsd, calls, unknownCalls });
      }
      expect(run).toMatchObject(await store.ledger.spent({ runId: 'run-1' }));
      expect(report.total.unknownCalls).toBe(lines.filter(({ role }) => role !== 'builder').length);
      expect(report.reused?.calls).toBeGreaterThan(50);
      expect(report.reused?.microUsd).toBeGreaterThan(0);
      expect(costText(report)).toMatch(/at least \$\d\.\d\d; nobody knows the cost of/);

      const pages = [];
      for (let before: number | undefined; ; before = pages.at(-1)?.at(-1)?.callNo) {
        const page = await store.calls({ step: 'screen', ...(before !== undefined && { beforeCallNo: before }) }, 7);
        if (page.length === 0) break;
        pages.push(page);
      }
      expect(pages.flat()).toEqual(await store.calls({ step: 'screen' }, 1000));
      const some = lines[3];
      expect((await readCall(store, { id: some?.key.slice(0, 20) ?? '' })).attempts.map(({ key }) => key)).toContain(some?.key);
      await expect(readCall(store, { id: 'zz' })).rejects.toThrow(/No call has an id/);
    } finally {
      await store.close();
    }
  });
});
