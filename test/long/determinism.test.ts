import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigInput } from '../../schemas/config.ts';
import { exportHashes } from '../support/exports.ts';
import { askingServer, makeProject, startRehearsal, until } from '../support/project.ts';
import type { TestProject, TestRehearsal } from '../support/project.ts';

const TARGET = { health: 5, general: 5, coding: 5 };
const cleanUps: (() => Promise<void>)[] = [];
let steady: TestRehearsal;
let shuffled: TestRehearsal;
let wanted: Readonly<Record<string, string>>;

function configOf(server: TestRehearsal, construction: ConfigInput['construction'], concurrency: number): Partial<ConfigInput> {
  return { target: TARGET, construction, ...askingServer(server.url, concurrency) };
}

function project(config: Partial<ConfigInput>): TestProject {
  const made = makeProject(config);
  cleanUps.push(() => made.cleanUp());
  return made;
}

async function build(made: TestProject): Promise<Readonly<Record<string, string>>> {
  const { code, output } = await made.run('build');
  expect(code, output).toBe(0);
  const hashes = await exportHashes(made);
  await made.endOwner('SIGTERM');
  return hashes;
}

beforeAll(async () => {
  steady = await startRehearsal();
  cleanUps.push(() => steady.stop());
  shuffled = await startRehearsal('--jitter', '200');
  cleanUps.push(() => shuffled.stop());
  wanted = await build(project(configOf(steady, { chunkSize: 25, window: 2 }, 16)));
}, 240_000);

afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}, 60_000);

test.each([
  ['chunks of 7', { chunkSize: 7, window: 2 }, 16],
  ['chunks of 100 and a window of 1', { chunkSize: 100, window: 1 }, 16],
  ['chunks of 7 and a window of 8', { chunkSize: 7, window: 8 }, 16],
  ['one call at a time', { chunkSize: 25, window: 2 }, 1],
  ['64 calls at a time', { chunkSize: 25, window: 2 }, 64],
])('%s make the same bytes', async (_name, construction, concurrency) => {
  expect(await build(project(configOf(steady, construction, concurrency)))).toEqual(wanted);
});

test('replies that overtake one another make the same bytes', async () => {
  expect(await build(project(configOf(shuffled, { chunkSize: 10, window: 3 }, 32)))).toEqual(wanted);
});

test('a build after temporal.db was deleted asks nothing and makes the same bytes', async () => {
  const made = project(configOf(steady, { chunkSize: 25, window: 2 }, 16));
  expect(await build(made)).toEqual(wanted);
  for (const end of ['', '-wal', '-shm']) rmSync(join(made.folder, `temporal.db${end}`), { force: true });
  const before = await steady.calls();
  expect(await build(made)).toEqual(wanted);
  expect(await steady.calls()).toBe(before);
});

test('a build interrupted by SIGTERM goes on with the same command and makes the same bytes', async () => {
  const made = project(configOf(shuffled, { chunkSize: 7, window: 2 }, 16));
  const before = await shuffled.callsOf('atomize');
  const first = made.start('build');
  await until('a call of atomize', async () => ((await shuffled.callsOf('atomize')) > before ? true : null));
  await made.endOwner('SIGTERM');
  expect((await first.ended).code).toBe(8);
  expect(await build(made)).toEqual(wanted);
});
