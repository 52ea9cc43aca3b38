import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { demoSources, makeProject } from '../support/project.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
}, 60_000);

test('a licence nobody knows stops an export, and `build --allow-unknown-licence` lets every later export of that build go, with a card that says so', async () => {
  const [first, ...others] = demoSources();
  if (first === undefined) throw new Error('no demo source');
  const sources = [{ ...first, licence: 'unknown' }, ...others];
  const project = makeProject({ target: { health: 1, general: 1, coding: 1 }, sources, construction: { chunkSize: 4, window: 1 } });
  cleanUps.push(() => project.cleanUp());
  const built = await project.run('build');
  expect(built.code, built.output).toBe(0);
  const out = join(project.folder, 'exports', 'out');
  const refused = await project.run('export', out);
  expect(refused.code, refused.output).toBe(2);
  expect(refused.output).toMatch(/licence of demo-meddialog is unknown, so nothing was exported\..*--allow-unknown-licence/);

  const again = await project.run('build', '--allow-unknown-licence');
  expect(again.code, again.output).toBe(0);
  const exported = await project.run('export', out);
  expect(exported.code, exported.output).toBe(0);
  expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('**Licence unknown** for rows of demo-meddialog');
});
