import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { exportHashes, ledgerCounts } from '../support/exports.ts';
import { askingServer, killNow, makeProject, startRehearsal, until } from '../support/project.ts';

const cleanUps: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}, 60_000);

test('kill -9 in the middle of a rebuild, the edit put back: the next build asks nothing and exports the same bytes', async () => {
  const prompts = mkdtempSync(join(tmpdir(), 'memcalib-prompts-'));
  cleanUps.push(() => rmSync(prompts, { recursive: true, force: true }));
  cpSync(resolve(import.meta.dirname, '../../prompts'), prompts, { recursive: true });
  const server = await startRehearsal('--latency', '60');
  cleanUps.push(() => server.stop());
  const target = { health: 6, general: 5, coding: 5 };
  const project = makeProject({ target, promptsDir: prompts, ...askingServer(server.url), construction: { chunkSize: 8, window: 2 } });
  cleanUps.push(() => project.cleanUp());

  const first = await project.run('build');
  expect([0, 6], first.output).toContain(first.code);
  const wanted = await exportHashes(project, 'first');
  const built = await server.calls();
  await project.endOwner('SIGTERM');

  const derive = join(prompts, 'derive.md');
  const before = readFileSync(derive, 'utf8');
  appendFileSync(derive, '\nTake your time.\n');
  const rebuild = project.start('build');
  await until('eight calls of the rebuild', async () => ((await server.calls()) >= built + 8 ? true : null));
  const owner = project.owner();
  expect(owner).not.toBeNull();
  killNow(owner?.pid ?? 0);
  await rebuild.ended;
  await until('the replies in flight', async () => ((await server.inFlight()) === 0 ? true : null));
  const asked = await server.calls();

  const held = join(prompts, 'edited-plan.json');
  expect((await project.run('plan', '--out', held)).code).toBe(9);
  writeFileSync(derive, before);
  const refused = await project.run('build', '--plan', held);
  expect([refused.code, refused.output]).toEqual([2, expect.stringContaining('The world moved')]);
  expect(refused.output).not.toContain('was interrupted');
  const plan = await project.run('plan');
  expect([plan.code, plan.output]).toEqual([0, expect.stringContaining('Nothing to ask or decide')]);
  // The plan has opened the store, so what the killed owner left in the journal is in its tables.
  const afterKill = await ledgerCounts(project);
  const reverted = await project.run('build');
  expect(reverted.code, reverted.output).toBe(first.code);
  expect(reverted.output).toContain('was interrupted');
  expect(await exportHashes(project, 'reverted')).toEqual(wanted);
  await project.endOwner('SIGTERM');
  expect((await server.calls()) - asked).toBe(0);
  expect(await ledgerCounts(project)).toEqual(afterKill);

  appendFileSync(derive, '\nTake your time.\n');
  const again = await project.run('build');
  expect([0, 6], again.output).toContain(again.code);
  await project.endOwner('SIGTERM');
  const all = await ledgerCounts(project);
  process.stdout.write(
    `killed after ${asked - built} calls of the rebuild, ${afterKill.unfinished} in flight; after the revert 0 calls; with the edit put in again ${(await server.calls()) - asked}, ${all.attempts - all.keys} of them repeated\n`,
  );
  expect(all.attempts - all.keys).toBeLessThanOrEqual(afterKill.unfinished);
  expect(all.duplicates).toBe(0);
});
