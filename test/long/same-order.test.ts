import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { seededUniforms } from '../../schemas/hash.ts';
import { manyRows } from '../support/many-rows.ts';
import { tempFolders } from '../support/temp-folder.ts';

vi.setConfig({ testTimeout: 120_000 });
const ROOT = resolve(import.meta.dirname, '../..');
const DEMO = join(ROOT, 'datasets/demo/rows');
const folder = tempFolders();

/** The rows of one source, in files of a given number, shuffled within and among them. */
function writeShuffled(at: string, files: number, seed: string): void {
  const next = seededUniforms(seed);
  const lines = readFileSync(join(DEMO, 'meddialog.jsonl'), 'utf8').trim().split('\n');
  const shuffled = lines
    .map((line) => [next(), line] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, line]) => line);
  mkdirSync(join(at, 'med'));
  for (let n = 0; n < files; n += 1) {
    const text = shuffled.filter((_, at_) => at_ % files === n).join('\n');
    writeFileSync(join(at, 'med', `part-${n}.jsonl${n % 2 === 0 ? '' : '.gz'}`), n % 2 === 0 ? text : gzipSync(text));
  }
}

const READ = `
import { ensureOrder } from './dist/activities/ensure-order.js';
import { Config } from './dist/schemas/config.js';
import { openStore } from './dist/store/open.js';
const [folder, chunkSize] = process.argv.slice(1);
const names = ['healthcaremagic.jsonl', 'ultrachat.json', 'oasst1.jsonl', 'oasst2.trees.jsonl', 'magicoder.csv', 'apps.jsonl', 'stackexchange.jsonl'];
const config = Config.parse({
  name: 'same',
  target: { health: 4, general: 4, coding: 4 },
  construction: { chunkSize: Number(chunkSize) },
  sources: [{ name: 'med', adapter: 'meddialog', path: 'med' }, ...names.map((path) => ({ name: path.split('.')[0], adapter: path.split('.')[0], path }))],
});
const store = await openStore(folder + '/order.duckdb');
const { id } = await ensureOrder({ store, clock: () => 1 }, { config, baseDir: folder });
for (const domain of ['health', 'general', 'coding'])
  for (let from = 0, page = await store.candidates(id, domain, 0, 7); page.length > 0; from += 7, page = await store.candidates(id, domain, from, from + 7))
    for (const { candidate } of page)
      console.log(JSON.stringify([domain, candidate.position, candidate.id, candidate.stratum, candidate.row.question, candidate.row.answer, candidate.measures]));
await store.close();
`;

/** What a process of its own reads back from its store, candidate by candidate. */
function orderOf(files: number, shuffle: string, chunkSize: number, threads: number): string {
  const at = folder();
  cpSync(DEMO, at, { recursive: true });
  writeShuffled(at, files, shuffle);
  const end = spawnSync(process.execPath, [`--v8-pool-size=${threads}`, '--input-type=module', '-e', READ, at, String(chunkSize)], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, UV_THREADPOOL_SIZE: String(threads) },
  });
  expect(end.stderr).toBe('');
  return end.stdout;
}

it('gives the same candidates in the same order, byte for byte, with rows shuffled over other files, another chunk size and other thread counts', () => {
  const first = orderOf(1, 'a', 100, 1);
  expect(first.split('\n').length).toBeGreaterThan(96);
  expect(orderOf(4, 'b', 7, 8)).toBe(first);
  expect(orderOf(3, 'c', 1000, 2)).toBe(first);
});

const THREADS = `
import { ingestSources } from './dist/hub/ingest.js';
import { ThreadedScreener } from './dist/activities/screening-threads.js';
import { SourceConfig } from './dist/schemas/config.js';
import { openStore } from './dist/store/open.js';
const [folder, threads, sources] = process.argv.slice(1);
const params = { baseDir: folder, sourcesDir: folder, seed: 'threads', nearDuplicateJaccard: 0.8, minQualityScore: 60, identifiers: 'mask' };
const store = await openStore(folder + '/' + threads + '.duckdb');
const screener = new ThreadedScreener(params, Number(threads));
const found = await ingestSources(JSON.parse(sources).map((one) => SourceConfig.parse(one)), params, { shelf: { rows: store.rows, screener } });
console.error(screener.threads());
for (const domain of ['health', 'general', 'coding']) for (const chunk of found.candidates(domain)) console.log(JSON.stringify(chunk));
for (const chunk of found.rejections()) console.log(JSON.stringify(chunk));
console.log(found.orderId);
found.close();
await screener.close();
await store.close();
`;

it('finds the same, byte for byte, whether the owner screens the rows itself or three threads do', () => {
  const at = folder();
  const sources = manyRows(at, 4500);
  const found = [0, 3].map((threads) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', THREADS, at, String(threads), JSON.stringify(sources)], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    }),
  );
  expect(found.map(({ stderr }) => stderr.trim())).toEqual(['0', '3']);
  expect(found[0]?.stdout.split('\n').length).toBeGreaterThan(5);
  expect(found[1]?.stdout === found[0]?.stdout).toBe(true);
});
