import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPullView } from '../../cli/commands/pull-view.ts';
import { checkConfig } from '../../cli/check-config.ts';
import { ingestSources } from '../support/ingest-rows.ts';
import { hubDatasets, hubSources, LAYOUT_NAMES } from '../support/hub-layouts.ts';
import { startMockHub, type MockHub } from '../support/mock-hub.ts';
import { runCommand } from '../support/run-command.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
let hub: MockHub;
beforeAll(async () => {
  hub = await startMockHub(await hubDatasets());
});
afterAll(() => hub.close());

function project(change: Record<string, unknown> = {}): string {
  const at = folder();
  const config = {
    name: 'hub-test',
    target: { health: 2, general: 2, coding: 2 },
    hub: { url: hub.url },
    sources: hubSources(),
    ...change,
  };
  writeFileSync(join(at, 'memcalib.config.json'), JSON.stringify(config));
  return at;
}
const run = (at: string, ...args: readonly string[]): ReturnType<typeof runCommand> =>
  runCommand(['sources', ...args, '--config', 'memcalib.config.json'], at, { HF_TOKEN: '' });

describe('memcalib sources', () => {
  it('pulls the eight datasets in their layouts, pinned, verifies them, and a build reads all of them', async () => {
    const at = project();
    const first = await run(at, 'pull', '--json');
    expect(first.stderr).toBe('');
    const reports = JSON.parse(first.stdout) as readonly { readonly source: string; readonly commit: string; readonly files: number }[];
    expect(reports.map((report) => [report.source, report.files])).toEqual([
      ['meddialog', 3],
      ['healthcaremagic', 1],
      ['ultrachat', 3],
      ['oasst1', 1],
      ['oasst2', 1],
      ['magicoder', 1],
      ['apps', 2],
      ['stackexchange', 2],
    ]);
    expect((await run(at, 'pull')).stdout).toMatch(/meddialog +OpenMed\/MedDialog +main +[0-9a-f]{12} +3 .*nothing: all there/);
    expect((await run(at, 'verify')).stdout.split('\n').filter((line) => line.includes('all as pinned at'))).toHaveLength(8);

    const { sources } = checkConfig(JSON.parse(readFileSync(join(at, 'memcalib.config.json'), 'utf8')), 'config');
    const result = await ingestSources(sources, {
      baseDir: at,
      sourcesDir: join(at, '.memcalib', 'sources'),
      seed: 'x',
      nearDuplicateJaccard: 0.8,
      minQualityScore: 60,
      identifiers: 'mask',
    });
    expect(result.facts.sources.map((item) => item.name)).toEqual([...LAYOUT_NAMES].sort());
    for (const item of result.facts.sources) expect(item.candidates, item.name).toBeGreaterThanOrEqual(10);
    const [[candidate] = []] = [...result.candidates('health')];
    expect(candidate?.row.sourceRevision).toBe(reports.find((report) => report.source === candidate?.row.source)?.commit);
    expect(candidate?.row.origin.file).toMatch(/^data\/train-/);
    expect(candidate?.row.sourceDataset).toMatch(/^OpenMed\/MedDialog$|^lavita\//);
  });

  it('finds a harmed file (exit 7) and says what to type; that command mends it', async () => {
    const at = project();
    await run(at, 'pull', 'apps');
    const file = join(at, '.memcalib/sources/apps/files/all/train/00001.parquet');
    writeFileSync(file, Buffer.alloc(readFileSync(file).length));
    const found = await run(at, 'verify', 'apps');
    expect(found.code).toBe(7);
    expect(found.stdout).toContain(`apps: ${file} has another content`);
    expect(found.stdout).toContain(`type \`rm '${file}' && memcalib sources pull apps --config memcalib.config.json\``);
    rmSync(file);
    expect((await run(at, 'pull', 'apps')).code).toBe(0);
    expect((await run(at, 'verify', 'apps')).code).toBe(0);
    expect((await run(at, 'verify')).code).toBe(8);
  });

  it('pulls from a folder with --from, one folder a source', async () => {
    const [at, mirror] = [project(), folder()];
    mkdirSync(join(mirror, 'apps/all/train'), { recursive: true });
    writeFileSync(join(mirror, 'apps/all/train/0000.parquet'), 'PAR1');
    const before = hub.requests.length;
    expect((await run(at, 'pull', 'apps', '--from', mirror)).stdout).toMatch(/apps +codeparrot\/apps +local +local-/);
    expect(hub.requests.length).toBe(before);
    expect(readdirSync(join(at, '.memcalib/sources/apps'))).toEqual(['files', 'pin.json']);
    const missing = await run(at, 'pull', '--from', mirror);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/Source meddialog: .* holds no folder meddialog or OpenMed\/MedDialog/);
  });

  it.each<[string, readonly string[], Record<string, unknown>, number, RegExp]>([
    ['a name that is no source', ['pull', 'meddialoge'], {}, 2, /has no source meddialoge \(did you mean meddialog\?\)/],
    ['an action that is none', ['pul'], {}, 2, /none of .*pull.*did you mean pull\?/],
    ['a config without hub sources', ['pull'], { sources: [{ name: 'a', adapter: 'apps', path: 'x.jsonl' }] }, 2, /no source with `hub`/],
    [
      'a source with a path',
      ['pull', 'a'],
      { sources: [{ name: 'a', adapter: 'apps', path: 'x.jsonl' }] },
      2,
      /Source a is read from its `path`/,
    ],
    ['--revision for all', ['pull', '--revision', 'main'], {}, 2, /--revision is of one dataset: name the source/],
    ['a revision that is not there', ['pull', 'apps', '--revision', 'v7'], {}, 2, /has no revision v7/],
    [
      'a hub that does not answer',
      ['pull', 'apps'],
      { hub: { url: 'http://127.0.0.1:9/' } },
      4,
      /cannot be reached.*then type `memcalib sources pull apps --config memcalib.config.json`/,
    ],
    ['a field of hub that is none', ['pull'], { hub: { uri: 'http://x' } }, 2, /no field hub\.uri; did you mean url\?/],
    ['verify before any pull', ['verify', 'apps'], {}, 8, /^$/],
  ])('refuses %s', { timeout: 60_000 }, async (_name, args, change, code, expected) => {
    const end = await run(project(change), ...args);
    expect(end.stderr).toMatch(expected);
    expect(end.code).toBe(code);
  });
});

describe('the view of a pull', () => {
  it('tells bytes, files, rate and time left, at most every two seconds and at the end', () => {
    let now = 1_000_000;
    const lines: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (text: string | Uint8Array): boolean => lines.push(String(text)) > 0;
    try {
      const view = createPullView('lines', () => now);
      for (let at = 0; at <= 10; at += 1) {
        view.show({ source: 'a', doneBytes: at * 1_000_000, totalBytes: 100_000_000, doneFiles: at === 10 ? 2 : 1, totalFiles: 2 });
        now += 500;
      }
    } finally {
      process.stdout.write = write;
    }
    expect(lines.map((line) => line.trim())).toEqual([
      'a: 0 B of 100.0 MB, 1 of 2 files',
      'a: 4.0 MB of 100.0 MB, 1 of 2 files, 2.0 MB/s, 48 s left',
      'a: 8.0 MB of 100.0 MB, 1 of 2 files, 2.0 MB/s, 46 s left',
      'a: 10.0 MB of 100.0 MB, 2 of 2 files, 2.0 MB/s, 45 s left',
    ]);
  });
});
