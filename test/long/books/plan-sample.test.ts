import { appendFileSync, cpSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { EXIT } from '../../../cli/cli-error.ts';
import type { Plan } from '../../../activities/plan/plan.ts';
import { ledgerCounts } from '../../support/exports.ts';
import { askingServer, makeProject, startRehearsal } from '../../support/project.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}, 60_000);

const line = (plan: Plan, step: string): Plan['steps'][number] => {
  const found = plan.steps.find((item) => item.step === step);
  if (found === undefined) throw new Error(`no step ${step}`);
  return found;
};

test('plan --sample shows its price, asks a seeded sample once, measures what the edit changes, and the build pays none of it again', async () => {
  const server = await startRehearsal();
  cleanUps.push(() => server.stop());
  const config = {
    target: { health: 8, general: 4, coding: 4 },
    ...askingServer(server.url, 8),
    prices: Object.fromEntries(
      ['rehearsal', 'rehearsal-a', 'rehearsal-b'].map((name) => [`server/${name}`, { inputPerMillionUsd: 5, outputPerMillionUsd: 15 }]),
    ),
    promptsDir: 'pr',
  };
  const made = makeProject(config);
  cleanUps.push(() => made.cleanUp());
  cpSync(join(ROOT, 'prompts'), join(dirname(made.folder), 'pr'), { recursive: true });
  const first = await made.run('build');
  expect(first.code, first.output).toBe(EXIT.ok);
  const built = await server.calls();

  // The rehearsal model answers the same whatever its instructions say: an edit of the first asking step changes nothing after it.
  appendFileSync(join(dirname(made.folder), 'pr', 'derive.md'), '\nTake your time.\n');
  const guess = JSON.parse((await made.run('plan', '--json')).output) as Plan;
  expect(guess.sample).toBeNull();
  expect(line(guess, 'derive').cutOff.of).toBe('nothing yet');
  expect(line(guess, 'naturalize').expectedRuns).toBeGreaterThan(0);
  expect(await server.calls()).toBe(built);

  made.writeConfig({ ...config, budget: { perRunUsd: 0.0001 } });
  const tooDear = await made.run('plan', '--sample', '6');
  expect(tooDear.code, tooDear.output).toBe(EXIT.capped);
  expect(tooDear.output).toMatch(/expected to cost \$\S+, more than budget.perRunUsd allows .*nothing was asked/);
  expect(await server.calls()).toBe(built);
  made.writeConfig({ ...config, budget: { perRunUsd: 5 } });

  const sampled = await made.run('plan', '--sample', '6');
  expect(sampled.code, sampled.output).toBe(EXIT.work);
  expect(sampled.output).toMatch(
    /Sample: 6 of \d+ rows that must ask, drawn by the seed: about \d+ calls? \(at least \d+, at most [\d,]+\), \$\S+ to \$\S+, at most \$\S+\. Its cap is \$5/,
  );
  expect(sampled.output).toMatch(/Asked: \d+ calls?, \$\S+\. The verdicts are kept/);
  expect(sampled.output).toMatch(/0 % of 6 sampled \(0-\d+ %\)/);
  expect(sampled.output).toMatch(/a sample of 6 rows of this edit was asked beforehand/);
  const asked = await server.calls();
  expect(asked).toBeGreaterThanOrEqual(built + 6);

  const again = await made.run('plan', '--sample', '6', '--json');
  expect(again.code, again.output).toBe(EXIT.work);
  expect(await server.calls(), 'the same sample is not asked twice').toBe(asked);
  const plan = JSON.parse(again.output.slice(again.output.indexOf('{'))) as Plan;
  expect(plan.sample).toEqual({ rows: 6 });
  const { cutOff } = line(plan, 'derive');
  expect(cutOff).toMatchObject({ changeRate: 0, redone: 6, of: 'a sample', low: 0 });
  expect(cutOff.high).toBeGreaterThan(0.3);
  const { expectedRuns, expectedRange } = line(plan, 'naturalize');
  expect(expectedRuns).toBeLessThan(line(guess, 'naturalize').expectedRuns / 2);
  expect(expectedRange?.low).toBeLessThanOrEqual(expectedRuns);
  expect(expectedRange?.high).toBeGreaterThan(expectedRuns);
  expect(plan.calls.expected).toBeLessThan(guess.calls.expected);

  const build = await made.run('build');
  expect(build.code, build.output).toBe(EXIT.ok);
  if (made.owner() !== null) await made.endOwner('SIGTERM');
  expect(await ledgerCounts(made)).toMatchObject({ duplicates: 0, unfinished: 0 });
  // The whole edit asks each affected row once: those of the sample beforehand, the others in the build.
  const derived = line(guess, 'derive').runs;
  expect((await server.calls()) - built).toBeGreaterThanOrEqual(derived);
  expect((await server.calls()) - asked).toBeLessThan(guess.calls.expected);
  const after = await made.run('plan');
  expect(after.code, after.output).toBe(EXIT.ok);
  const history = JSON.parse((await made.run('history', '--json')).output) as { builds: { label: string }[] };
  expect(history.builds.map(({ label }) => label)).toEqual(['main', 'main (sample)', 'main']);
});
