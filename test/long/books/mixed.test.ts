import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { EXIT } from '../../../cli/cli-error.ts';
import type { StatusReport } from '../../../cli/queries/status.ts';
import type { ConfigInput } from '../../../schemas/config.ts';
import type { ExampleRecord } from '../../../schemas/record.ts';
import { askingServer, makeProject, startRehearsal } from '../../support/project.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}, 60_000);

function records(folder: string): readonly ExampleRecord[] {
  return ['train', 'test'].flatMap((split) =>
    readFileSync(join(folder, `${split}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ExampleRecord),
  );
}

test('an edited build that a cap stopped exports no mix unless it is allowed, and then record, card and manifest say which pipeline made what', async () => {
  const server = await startRehearsal();
  cleanUps.push(() => server.stop());
  const config: Partial<ConfigInput> = {
    target: { health: 6, general: 2, coding: 2 },
    construction: { chunkSize: 4, window: 1 },
    ...askingServer(server.url, 4),
    prices: Object.fromEntries(
      ['rehearsal', 'rehearsal-a', 'rehearsal-b'].map((name) => [`server/${name}`, { inputPerMillionUsd: 5, outputPerMillionUsd: 15 }]),
    ),
    promptsDir: 'pr',
  };
  const made = makeProject(config);
  cleanUps.push(() => made.cleanUp());
  cpSync(join(ROOT, 'prompts'), join(dirname(made.folder), 'pr'), { recursive: true });
  const status = async (): Promise<StatusReport> => JSON.parse((await made.run('status', '--json')).output) as StatusReport;
  const first = await made.run('build');
  expect(first.code, first.output).toBe(EXIT.ok);
  const before = await status();
  expect(before.pipelines).toEqual([{ pipelineHash: before.pipelineHash, count: expect.any(Number) as number }]);

  // The first step is edited, so that every candidate is decided anew; the cap lets some of them through.
  appendFileSync(join(dirname(made.folder), 'pr', 'screen.md'), '\nTake your time.\n');
  const again = await made.run('plan', '--json');
  const { money } = JSON.parse(again.output) as { money: { expected: number } };
  made.writeConfig({ ...config, budget: { perRunUsd: money.expected / 3e6 } });
  const stopped = await made.run('build');
  expect(stopped.code, stopped.output).toBe(EXIT.paused);

  const mixed = await status();
  const own = mixed.pipelines.find(({ pipelineHash }) => pipelineHash === mixed.pipelineHash)?.count ?? 0;
  expect(own).toBeGreaterThan(0);
  const others = mixed.pipelines.filter(({ pipelineHash }) => pipelineHash !== mixed.pipelineHash);
  expect(others).toEqual([{ pipelineHash: before.pipelineHash, count: expect.any(Number) as number }]);
  expect((await made.run('status')).output).toMatch(
    /accepted under earlier pipelines and not built anew: \d+ under [0-9a-f]{8}; .*--allow-mixed/,
  );

  const out = join(dirname(made.folder), 'out');
  const refused = await made.run('export', out);
  expect(refused.code, refused.output).toBe(EXIT.unfinished);
  expect(refused.output).toMatch(/is paused: \d+ of its examples were made by its own pipeline .*--partial.*--allow-mixed/);
  const exported = await made.run('export', out, '--allow-mixed');
  expect(exported.code, exported.output).toBe(EXIT.ok);
  expect(exported.output).toContain('Examples of several pipelines are mixed');
  const all = records(out);
  expect(all).toHaveLength(10);
  const count = (hash: string): number => all.filter((record) => record.pipeline_hash === hash).length;
  expect(count(mixed.pipelineHash)).toBeGreaterThan(0);
  expect(count(before.pipelineHash)).toBe(10 - count(mixed.pipelineHash));
  const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as { mixed: unknown };
  expect(manifest.mixed).toEqual([
    { pipeline_hash: mixed.pipelineHash, examples: count(mixed.pipelineHash) },
    { pipeline_hash: before.pipelineHash, examples: count(before.pipelineHash) },
  ]);
  const card = readFileSync(join(out, 'README.md'), 'utf8');
  expect(card).toContain('Examples of 2 pipelines are mixed');
  expect(card).toContain(`| ${before.pipelineHash} | ${count(before.pipelineHash)} | screen |`);
  expect(exported.output).toContain('checked against every invariant');

  // What is finished is no mix: the option then changes nothing.
  made.writeConfig(config);
  if (made.owner() !== null) await made.run('cancel');
  const last = await made.run('build');
  expect(last.code, last.output).toBe(EXIT.ok);
  const [plain, allowed] = [join(dirname(made.folder), 'plain'), join(dirname(made.folder), 'allowed')];
  expect((await made.run('export', plain)).code).toBe(EXIT.ok);
  expect((await made.run('export', allowed, '--allow-mixed')).code).toBe(EXIT.ok);
  for (const name of ['train.jsonl', 'test.jsonl', 'README.md', 'manifest.json'])
    expect(readFileSync(join(allowed, name), 'utf8'), name).toBe(readFileSync(join(plain, name), 'utf8'));
});
