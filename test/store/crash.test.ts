import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStore } from '../../store/open.ts';
import { candidate, keyOf, pages, rejection } from './made.ts';
import { compileChild, start } from './processes.ts';
import { reopened, tempFolder } from './samples.ts';
import { putOrder } from '../support/put-order.ts';

let child = { script: '', remove: (): Promise<void> => Promise.resolve() };
// Each test starts processes of its own: seconds on a quiet machine, more beside others.
vi.setConfig({ testTimeout: 90_000 });
beforeAll(async () => {
  // Another test of this worker may have closed new files to others, and one test here runs as another user.
  process.umask(0o022);
  child = await compileChild();
});
afterAll(() => child.remove());

test('after kill -9 in the middle of writes, again and again, every acknowledged write is there', async () => {
  const file = join(await tempFolder(), 'memcalib.duckdb');
  const acknowledged: string[] = [];
  for (const lines of [3, 121]) {
    const writer = start(process.execPath, [child.script, 'write', file]);
    await writer.said(lines);
    writer.process.kill('SIGKILL');
    acknowledged.push(...(await writer.ended).filter((line) => line !== 'open'));
    const store = await openStore(file);
    const attempts = await store.ledger.attempts(acknowledged.map((line) => keyOf(line.split(' ')[1] ?? '')));
    const lost = acknowledged.filter((line) => {
      const [what, name = ''] = line.split(' ');
      const attempt = attempts.get(keyOf(name))?.[0];
      return attempt === undefined || (what === 'completion' && attempt.class !== 'ok');
    });
    expect(lost).toEqual([]);
    const done = acknowledged
      .filter((line) => line.startsWith('completion'))
      .map((line) => ({ key: keyOf(line.split(' ')[1] ?? ''), attempt: 1 }));
    expect(await store.ledger.replies(done)).toHaveLength(done.length);
    await store.close();
  }
  expect(acknowledged.length).toBeGreaterThan(100);
});

test('a crash between intent and completion leaves the intent open and its sibling whole', async () => {
  const file = join(await tempFolder(), 'memcalib.duckdb');
  await start(process.execPath, [child.script, 'intent', file]).ended;
  const store = await reopened(file);
  const attempts = await store.ledger.attempts([keyOf('a'), keyOf('b')]);
  expect([...attempts.values()].map(([attempt]) => attempt?.class)).toEqual(['ok', null]);
  expect(await store.ledger.spent({})).toEqual({ microUsd: 250, unknownCalls: 1, calls: 2 });
});

test('a reader too sees what a killed process left in the journal, and a second opening finds the journal empty', async () => {
  const file = join(await tempFolder(), 'memcalib.duckdb');
  await start(process.execPath, [child.script, 'intent', file]).ended;
  const journal = async (): Promise<number> => {
    const instance = await DuckDBInstance.create(file);
    const connection = await instance.connect();
    const rows = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM journal');
    connection.disconnectSync();
    instance.closeSync();
    return Number(rows.getRows()[0]?.[0]);
  };
  expect(await journal()).toBeGreaterThan(0);
  const reader = await openStore(file, { readOnly: true });
  expect([...(await reader.ledger.attempts([keyOf('a'), keyOf('b')])).values()].map(([attempt]) => attempt?.class)).toEqual(['ok', null]);
  await reader.close();
  expect(await journal()).toBe(0);
});

test.each([0, 1, 2])(
  'a kill before page %i of an order leaves none of it visible unless all was stored; the same id can be put again',
  async (page) => {
    const file = join(await tempFolder(), 'memcalib.duckdb');
    const lines = await start(process.execPath, [child.script, 'order', file, String(page)]).ended;
    const store = await reopened(file);
    expect((await store.latestOrder())?.id ?? null).toBe(lines.includes('stored') ? 'order-1' : null);
    expect(lines.includes('stored')).toBe(page === 2);
    await putOrder(
      store,
      { id: 'order-1', createdAt: 1, facts: '{}' },
      pages(Array.from({ length: 2_500 }, (_, n) => candidate(n))),
      pages(Array.from({ length: 2_500 }, (_, n) => rejection(n))),
    );
    const counts = await store.candidateCounts('order-1');
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(2_500);
    expect((await store.rowRejectionCounts('order-1')).map(({ count }) => count)).toEqual([2_500]);
  },
);

test('a file held by another process is refused and the sentence names the holder', async () => {
  const file = join(await tempFolder(), 'memcalib.duckdb');
  const holder = start(process.execPath, [child.script, 'open', file]);
  await holder.said(1);
  await expect(openStore(file)).rejects.toMatchObject({
    code: 'locked',
    retryable: true,
    message: expect.stringContaining(`process ${holder.process.pid}`),
  });
});

test('a full disk is a disk_full error, the store stays readable, and what was acknowledged survives', async () => {
  const file = join(await tempFolder(), 'memcalib.duckdb');
  const limited = `trap '' XFSZ; ulimit -f 6000; exec "$0" "$@"`;
  const lines = await start('sh', ['-c', limited, process.execPath, child.script, 'fill', file]).ended;
  expect(lines.filter((line) => line.startsWith('error'))).toEqual(['error disk_full']);
  expect(lines.at(-1)).toBe('reads 1');
  const done = lines.filter((line) => line.startsWith('completion')).map((line) => ({ key: keyOf(line.slice(11)), attempt: 1 }));
  expect(done.length).toBeGreaterThan(5);
  const store = await reopened(file);
  expect(await store.ledger.replies(done)).toHaveLength(done.length);
});

test.skipIf(process.getuid?.() !== 0)('a folder this user cannot write is refused (needs root to become another user)', async () => {
  const folder = await tempFolder();
  await chmod(folder, 0o555);

  const lines = await start(process.execPath, [child.script, 'open', join(folder, 'memcalib.duckdb')], { uid: 65_534, gid: 65_534 }).ended;
  expect(lines[0]).toMatch(/^read_only_folder: .*chmod/);
});
