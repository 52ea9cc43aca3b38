import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Worker } from '@temporalio/worker';
import { afterAll, expect, test } from 'vitest';

const BUNDLE = resolve(import.meta.dirname, '../../dist/workflow-bundle.js');
const HISTORIES = resolve(import.meta.dirname, '../fixtures/histories');

const folder = mkdtempSync(join(tmpdir(), 'memcalib-replay-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const names = readdirSync(HISTORIES)
  .filter((file) => file.endsWith('.json'))
  .sort();

/** Replays every recorded history against a bundle; gives the error of each, null when it still fits. */
async function replay(codePath: string): Promise<Readonly<Record<string, string | null>>> {
  const histories = names.map((file) => ({
    workflowId: basename(file, '.json'),
    history: JSON.parse(readFileSync(join(HISTORIES, file), 'utf8')) as unknown,
  }));
  const ends: Record<string, string | null> = {};
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories))
    ends[workflowId] = error === undefined ? null : error.message;
  return ends;
}

test('builds recorded earlier (completed, paused and resumed, timed pause, stuck, cancelled, continued as new) replay on the workflows of today', async () => {
  expect(names).toEqual([
    'cancelled.json',
    'completed.json',
    'continued-as-new.json',
    'paused-and-resumed.json',
    'stuck.json',
    'timed-pause.json',
  ]);
  expect(await replay(BUNDLE)).toEqual(Object.fromEntries(names.map((name) => [basename(name, '.json'), null])));
}, 120_000);

test('a workflow whose commands changed does not replay', async () => {
  const changed = join(folder, 'changed-bundle.js');
  writeFileSync(changed, readFileSync(BUNDLE, 'utf8').replaceAll('prepareBuild', 'prepareElse'));
  for (const [name, error] of Object.entries(await replay(changed))) expect(error, name).toMatch(/prepareElse/);
}, 120_000);
