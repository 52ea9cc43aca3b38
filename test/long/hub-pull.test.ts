import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { seededUniforms } from '../../schemas/hash.ts';
import { hubDatasets, hubSources } from '../support/hub-layouts.ts';
import { commitOf, datasetOf, startMockHub, type MockHub } from '../support/mock-hub.ts';
import { tempFolders } from '../support/temp-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = tempFolders();
const KILLS = 5;

let hub: MockHub | null = null;
afterEach(() => hub?.close());

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** `memcalib sources ...` as a process of its own; killed with SIGKILL once the hub has sent so many bytes, if any are given. */
async function command(at: string, args: readonly string[], killAfterBytes: number | null): Promise<Ended> {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'bin/memcalib.js'), 'sources', ...args, '--config', join(at, 'memcalib.config.json'), '--trust'],
    {
      cwd: at,
      env: { ...process.env, HF_TOKEN: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const from = hub?.sentBytes() ?? 0;
  const watch = setInterval(() => {
    if (killAfterBytes !== null && (hub?.sentBytes() ?? 0) - from >= killAfterBytes) child.kill('SIGKILL');
  }, 5);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  clearInterval(watch);
  return { code, output };
}

const noise = (seed: string, length: number): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at * 32 < length; at += 1) parts.push(createHash('sha256').update(`${seed}${at}`).digest());
  return Buffer.concat(parts).subarray(0, length);
};

it('pulls all eight layouts through five kills, bursts of 429 and 500 and broken connections, and fetches no finished part again', async () => {
  const at = folder();
  // A ninth dataset of 4 MB in eight files, so that kills fall into files and between them.
  const big = Object.fromEntries(Array.from({ length: 8 }, (_item, n) => [`data/part-${n}.jsonl`, noise(`big${n}`, 512 * 1024)]));
  hub = await startMockHub({ ...(await hubDatasets()), 'made/big': datasetOf(big) });
  const sources = [
    {
      name: 'big',
      adapter: 'custom',
      hub: { repo: 'made/big' },
      domain: 'coding',
      licence: 'CC0-1.0',
      columns: { question: 'q', answer: 'a' },
    },
    ...hubSources(),
  ];
  const config = { name: 'long', target: { health: 1, general: 1, coding: 1 }, hub: { url: hub.url, parallel: 3 }, sources };
  writeFileSync(join(at, 'memcalib.config.json'), JSON.stringify(config));
  hub.throttle = { chunkBytes: 16 * 1024, pauseMs: 3 };
  const draw = seededUniforms('kills');
  // A burst every now and then: by request, not by time, so that the series is the same each time.
  hub.fault = (seen, earlier) => {
    const u = seededUniforms('fault', seen.url.replace(/^.*\/(?=[^/]+$)/, ''), earlier)();
    if (earlier > 3) return null;
    if (u < 0.08) return { status: 429, headers: { 'retry-after': '1' } };
    if (u < 0.16) return { status: 500 };
    return u < 0.26 ? 'cut' : null;
  };
  let killed = 0;
  let ended: Ended = { code: null, output: '' };
  for (let round = 0; round < 20 && ended.code !== 0; round += 1) {
    const limit = killed < KILLS ? Math.round(200_000 + draw() * 600_000) : null;
    ended = await command(at, ['pull'], limit);
    if (ended.code === null) killed += 1;
    else expect(ended.output).not.toMatch(/internal error/);
  }
  expect(killed).toBe(KILLS);
  expect(ended.output).toMatch(/^big .*\n(?:.*\n)*stackexchange/m);
  expect((await command(at, ['verify'], null)).output.match(/all as pinned at/g)).toHaveLength(9);

  // Every file arrived whole; what was sent twice is at most what was in flight when a process died or a connection broke.
  const resumed = hub.requests.filter((seen) => seen.rangeFrom > 0);
  expect(resumed.length).toBeGreaterThan(2);
  const total = [...hub.datasets.values()].flatMap((dataset) =>
    Object.values(dataset.commits).flatMap((commit) =>
      Object.entries(commit.files).filter(([path]) => hub?.requests.some((seen) => seen.path === path)),
    ),
  );
  const wanted = total.reduce((sum, [, data]) => sum + data.length, 0);
  const inFlight = KILLS * 3 * 96 * 1024;
  expect(hub.sentBytes()).toBeGreaterThanOrEqual(wanted);
  expect(hub.sentBytes() - wanted).toBeLessThanOrEqual(inFlight);
  for (const [path] of total.filter(([name]) => name.startsWith('data/part-'))) {
    // After the request that brought a file's last byte, nobody asked for it again.
    const asked = hub.requests.filter((seen) => seen.path === path);
    const last = asked.findIndex((seen) => seen.rangeFrom + seen.sentBytes >= 512 * 1024);
    expect(asked.slice(last + 1).filter((seen) => seen.rangeFrom === 0)).toEqual([]);
  }
});

it('keeps a killed pull at its commit when the branch moves, and says a wrong hash, a gate and a 404 each in its own sentence', async () => {
  const at = folder();
  const old = { 'data/train-0.jsonl': noise('old0', 400_000), 'data/train-1.jsonl': noise('old1', 400_000) };
  const next = { 'data/train-0.jsonl': old['data/train-0.jsonl'], 'data/train-1.jsonl': noise('new1', 300_000) };
  hub = await startMockHub({
    'a/moving': datasetOf(old),
    'a/gated': { ...datasetOf(old), gated: true },
    'a/wrong': { ...datasetOf(old), served: { 'data/train-1.jsonl': noise('other', 400_000) } },
  });
  const entry = (name: string): unknown => ({ name, adapter: 'meddialog', hub: { repo: `a/${name}` } });
  const config = {
    name: 'long',
    target: { health: 1, general: 1, coding: 1 },
    hub: { url: hub.url, parallel: 1 },
    sources: ['moving', 'gated', 'wrong', 'absent'].map(entry),
  };
  writeFileSync(join(at, 'memcalib.config.json'), JSON.stringify(config));
  hub.throttle = { chunkBytes: 16 * 1024, pauseMs: 2 };
  expect((await command(at, ['pull', 'moving'], 500_000)).code).toBe(null);
  hub.datasets.set('a/moving', {
    commits: { [commitOf(old)]: { files: old }, [commitOf(next)]: { files: next } },
    refs: { main: commitOf(next) },
  });
  const resumed = await command(at, ['pull', 'moving'], null);
  expect(resumed.output).toContain(commitOf(old).slice(0, 12));
  const file = join(at, '.memcalib/sources/moving/files/data/train-1.jsonl');
  expect(readFileSync(file).equals(old['data/train-1.jsonl'])).toBe(true);
  const moved = await command(at, ['pull', 'moving', '--revision', 'main'], null);
  expect(moved.output).toMatch(new RegExp(`${commitOf(next).slice(0, 12)} .*1 file, 300.0 kB`));
  expect(readFileSync(file).equals(next['data/train-1.jsonl'])).toBe(true);

  for (const [name, expected] of [
    ['gated', /Source gated: a\/gated is gated\. Ask for access at .*HF_TOKEN/],
    ['wrong', /train-1\.jsonl of a\/wrong was fetched twice and does not hash/],
    ['absent', /there is no dataset a\/absent at/],
  ] as const) {
    const end = await command(at, ['pull', name], null);
    expect(end.output).toMatch(expected);
    expect(end.code).toBe(name === 'absent' ? 2 : 4);
    expect(end.output).not.toMatch(/\n\s+at /);
  }
  expect(existsSync(join(at, '.memcalib/sources/wrong/files/data/train-1.jsonl'))).toBe(false);
});
