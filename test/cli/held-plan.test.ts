import { expect, test } from 'vitest';
import type { PlanWorld } from '../../activities/plan/plan.ts';
import { configChanges } from '../../activities/plan/config-change.ts';
import { whatMoved } from '../../cli/commands/held-plan.ts';
import { Config } from '../../schemas/config.ts';
import type { ConfigInput } from '../../schemas/config.ts';

const WORLD: PlanWorld = {
  pipelineHash: 'p1',
  orderId: 'o1',
  steps: { screen: 's1', derive: 'd1' },
  target: { health: 1, general: 2, coding: 3 },
  quotas: { a: 1 },
  work: 'w1',
};

test.each<[string, Partial<PlanWorld>, readonly string[]]>([
  ['nothing', {}, []],
  ['a prompt', { steps: { screen: 's1', derive: 'd2' }, pipelineHash: 'p2', work: 'w2' }, ['step derive has another version']],
  ['the seed', { pipelineHash: 'p2', work: 'w2' }, ['seed or plan tables changed']],
  ['a source', { orderId: 'o2' }, ['the candidates or their order are others (a source, screening or the seed changed)']],
  ['a target', { target: { health: 1, general: 5, coding: 3 } }, ['target.general is another']],
  ['a quota', { quotas: {} }, ['the quota of a is another']],
  ['the ledger', { work: 'w2' }, ['work was done since: other verdicts or replies are stored']],
])('a plan is held against the world: %s moved', (_, change, moved) => {
  expect(whatMoved({ ...WORLD, steps: { ...WORLD.steps } }, { ...WORLD, ...change })).toEqual(moved);
});

const source = { name: 'rows', adapter: 'meddialog', path: 'rows.jsonl' } as const;
const BASE: ConfigInput = { name: 'n', target: { health: 1, general: 1, coding: 1 }, sources: [source] };

test.each<[string, Partial<ConfigInput>, string]>([
  ['seed', { seed: 's2' }, 'semantic order'],
  ['target.health', { target: { health: 2, general: 1, coding: 1 } }, 'semantic fold'],
  ['sources.rows.licence', { sources: [{ ...source, licence: 'MIT' }] }, 'semantic order'],
  ['sources.rows.quota', { sources: [{ ...source, quota: 1 }] }, 'semantic fold'],
  ['sources.rows.path', { sources: [{ ...source, path: 'other.jsonl' }] }, 'operational nothing'],
  ['prices.m.inputPerMillionUsd', { prices: { m: { inputPerMillionUsd: 1, outputPerMillionUsd: 1 } } }, 'operational nothing'],
  ['budget.perRunUsd', { budget: { perRunUsd: 1 } }, 'operational nothing'],
  ['testShare', { testShare: 0.2 }, 'semantic export'],
])('a change of %s is named with what it decides', (path, change, says) => {
  const changes = configChanges(Config.parse(BASE), Config.parse({ ...BASE, ...change }));
  const found = changes.find((item) => item.path === path);
  expect(`${found?.class} ${found?.decides}`).toBe(says);
});
