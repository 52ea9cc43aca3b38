import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT } from '../../../cli/cli-error.ts';
import { statsPage } from '../../../cli/commands/stats-page.ts';
import { shareGroups, statsText } from '../../../cli/commands/stats-text.ts';
import { exportRelease } from '../../../cli/queries/export-release.ts';
import { readHistory } from '../../../cli/queries/history.ts';
import { readStats } from '../../../cli/queries/stats.ts';
import { DOMAINS } from '../../../schemas/levels.ts';
import type { ConfigInput } from '../../../schemas/config.ts';
import { runCommand } from '../../support/run-command.ts';
import { tellProject } from '../../support/told-project.ts';
import type { ToldProject } from '../../support/told-project.ts';

const folder = mkdtempSync(join(tmpdir(), 'memcalib-stats-'));
let told: ToldProject;
let config: ConfigInput;

beforeAll(async () => {
  told = await tellProject(folder);
  config = await told.build('run-1');
  told.editPrompt('rubrics', (text) => `${text}\nKeep every criterion short.\n`);
  await told.build('run-2', 'main', { target: { health: 2, general: 0, coding: 2 } });
  await exportRelease(told.project.store, {
    label: 'main',
    folder: join(folder, 'out'),
    allowUnknownLicence: false,
    partial: false,
    allowMixed: false,
  });
}, 180_000);

afterAll(async () => {
  await told.close().catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

describe('stats', () => {
  test('every count is that of the exported records', async () => {
    const report = await readStats(told.project.store, { label: 'main' });
    const records = ['train', 'test'].flatMap((split) =>
      readFileSync(join(folder, 'out', `${split}.jsonl`), 'utf8')
        .trimEnd()
        .split('\n')
        .map(
          (line) =>
            JSON.parse(line) as {
              domain: string;
              memories: { u_star: string; memory_action: string }[];
              memory_blocks: { atom_ids: string[] }[];
            },
        ),
    );
    const { shape } = report;
    expect(shape.examples).toBe(records.length);
    expect(shape.atoms).toBe(records.reduce((sum, { memories }) => sum + memories.length, 0));
    for (const level of ['A', 'B', 'C'] as const)
      expect(shape.levels[level]).toBe(records.flatMap(({ memories }) => memories).filter(({ u_star: own }) => own === level).length);
    for (const domain of DOMAINS) expect(shape.domains[domain] ?? 0).toBe(records.filter((record) => record.domain === domain).length);
    expect(Object.values(shape.atomsPerBlock).reduce((sum, n) => sum + n, 0)).toBe(shape.blocks);
    expect(Object.values(report.complexity).reduce((sum, n) => sum + n, 0)).toBe(shape.examples);
    expect(report.topics.reduce((sum, { examples }) => sum + examples, 0)).toBe(shape.examples);
    expect(report.sources.reduce((sum, { examples }) => sum + examples, 0)).toBe(shape.examples);
    for (const line of report.yields)
      expect(line.in).toBe(
        line.accepted + line.pending + [...Object.values(line.rejected), ...Object.values(line.failed)].reduce((sum, n) => sum + n, 0),
      );
    expect(report.cost.calls).toBeGreaterThan(0);
    expect(report.cost.unknownCalls).toBe(report.cost.calls);
    expect(statsText(report)).toContain('at least');
  });

  test('the page shows each distribution with its mark and asks nobody for anything', async () => {
    const report = await readStats(told.project.store, { label: 'main' });
    const page = statsPage(report);
    expect(page).not.toMatch(/<(?:script|img|iframe|link|object|embed)|<[^>]+\s(?:src|href|on\w+)=|url\(|@import/i);
    for (const { title } of shareGroups(report)) expect(page).toContain(`aria-label="${title}"`);
  });
});

test('history tells who, what changed, what it cost and yielded, and the export', async () => {
  const { builds: lines, dropped } = await readHistory(told.project.store, { label: null });
  expect((await readHistory(told.project.store, { label: 'b' })).builds).toEqual([]);
  expect(dropped).toEqual([]);
  expect(lines.map(({ runId }) => runId)).toEqual(['run-1', 'run-2']);
  expect(lines[0]).toMatchObject({ changed: null, state: 'completed', exports: [] });
  expect(lines[1]?.changed).toEqual(
    expect.arrayContaining(['target.health 3 -> 2', expect.stringMatching(/^prompt of rubrics: \d lines?$/)]),
  );
  expect(lines[1]?.changed).toHaveLength(2);
  expect(lines[1]?.exports).toMatchObject([{ folder: join(folder, 'out'), examples: 4 }]);
  for (const line of lines) expect(line.accepted).toBeGreaterThan(0);
  const spent = await told.project.store.ledger.spent({});
  expect(lines.reduce((sum, { calls }) => sum + calls, 0)).toBe(spent.calls);
});

describe('upkeep through the command line', () => {
  const home = mkdtempSync(join(tmpdir(), 'memcalib-upkeep-'));
  const type = (...args: readonly string[]) => runCommand([...args, '--config', 'memcalib.config.json'], home);
  const stats = async (): Promise<string> => (await type('stats', '--json')).stdout;

  beforeAll(async () => {
    await told.project.close();
    mkdirSync(join(home, '.memcalib', 'exports'), { recursive: true });
    writeFileSync(join(home, '.memcalib', 'memcalib.duckdb'), readFileSync(join(folder, 'memcalib.duckdb')));
    writeFileSync(join(home, '.memcalib', 'exports', 'note.txt'), 'kept');
    writeFileSync(join(home, 'memcalib.config.json'), JSON.stringify({ ...config, promptsDir: undefined, projectDir: '.memcalib' }));
  }, 60_000);
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test('a backup moves the project whole; it replaces nothing and is refused over a project', { timeout: 120_000 }, async () => {
    const before = await stats();
    const made = await type('backup', 'project.backup');
    expect(made).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(await type('backup', 'project.backup')).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringMatching(/is there already.*replaces nothing/),
    });
    expect(await type('restore', 'project.backup')).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringMatching(/holds a project already/),
    });
    expect(await type('restore', 'nowhere.backup')).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringMatching(/There is no backup/),
    });
    rmSync(join(home, '.memcalib'), { recursive: true });
    expect(await type('restore', 'project.backup')).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(await stats()).toBe(before);
    expect(readFileSync(join(home, '.memcalib', 'exports', 'note.txt'), 'utf8')).toBe('kept');
    expect(statSync(join(home, '.memcalib')).mode & 0o077).toBe(0);
    rmSync(join(home, '.memcalib'), { recursive: true });
    const bytes = readFileSync(join(home, 'project.backup'));
    writeFileSync(join(home, 'broken.backup'), bytes.subarray(0, bytes.length - 2000));
    expect(await type('restore', 'broken.backup')).toMatchObject({
      code: EXIT.environment,
      stderr: expect.stringMatching(/cannot be restored/),
    });
    expect(existsSync(join(home, '.memcalib'))).toBe(false);
    expect(readdirSync(home).some((name) => name.includes('restoring'))).toBe(false);
    await type('restore', 'project.backup');
  });

  test(
    'gc lists first, asks for --yes, and for a backup before paid replies go; the data stays what it was',
    { timeout: 120_000 },
    async () => {
      const before = await stats();
      expect(await type('gc')).toMatchObject({ code: EXIT.usage, stderr: expect.stringMatching(/gc --older-than 30d/) });
      expect((await type('gc', '--older-than', '30d')).stdout).toMatch(/Nothing is old enough/);
      const listed = await type('gc', '--older-than', '0h', '--json');
      const { lines } = JSON.parse(listed.stdout) as { lines: { what: string; rows: number; paid: boolean }[] };
      expect(lines.find(({ paid }) => paid)?.rows).toBeGreaterThan(0);
      expect(await type('gc', '--older-than', '0h', '--yes')).toMatchObject({
        code: EXIT.usage,
        stderr: expect.stringMatching(/needs a backup: add --backup FILE/),
      });
      expect((await type('gc', '--older-than', '0h', '--json')).stdout).toBe(listed.stdout);
      expect(await type('gc', '--older-than', '0h', '--yes', '--backup', 'before-gc.backup')).toMatchObject({ code: EXIT.ok });
      expect(existsSync(join(home, 'before-gc.backup'))).toBe(true);
      expect((await type('gc', '--older-than', '0h')).stdout).toMatch(/Nothing is old enough/);
      expect(await stats()).toBe(before);
      expect((await type('history')).stdout).toMatch(/gc .*: dropped \d+ replies of models .*backup .*before-gc\.backup/);
      expect(await type('compact')).toMatchObject({ code: EXIT.ok, stdout: expect.stringMatching(/Rewrote the store/) });
      expect(await stats()).toBe(before);
    },
  );
});
