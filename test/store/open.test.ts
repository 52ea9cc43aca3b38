import { DuckDBInstance } from '@duckdb/node-api';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { networkFileSystem, refuseNetworkFolder } from '../../store/file-checks.ts';
import { MIGRATIONS } from '../../store/migrations/list.ts';
import { openStore } from '../../store/open.ts';
import { StoreError, storeErrorFrom } from '../../store/errors.ts';
import { candidate, pages } from './made.ts';
import { reopened, tempFolder, tempStore } from './samples.ts';
import { putOrder } from '../support/put-order.ts';

async function withRaw<T>(file: string, run: (sql: (text: string) => Promise<unknown[][]>) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  try {
    return await run(async (text) => (await connection.run(text)).getRows());
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test('a file of the first schema is brought to the newest one and keeps its rows', async () => {
  const file = join(await tempFolder(), 'old.duckdb');
  await withRaw(file, async (sql) => {
    await sql('CREATE TABLE schema_versions (version INTEGER, name VARCHAR, applied_at BIGINT)');
    await sql(MIGRATIONS[0]?.sql ?? '');
    await sql("INSERT INTO schema_versions VALUES (1, '0001-orders', 1)");
    await sql("INSERT INTO orders VALUES (1, 1, 'order-old', 7, '{}')");
  });
  await expect(openStore(file, { readOnly: true })).rejects.toMatchObject({ code: 'schema_older' });
  const store = await reopened(file);
  expect(await store.latestOrder()).toEqual({ id: 'order-old', createdAt: 7, facts: '{}' });
  await putOrder(store, { id: 'order-new', createdAt: 8, facts: '{}' }, pages([candidate(0)]), pages<never>([]));
  await store.putFact('a', '1');
  await store.close();
  const versions = await withRaw(file, (sql) => sql('SELECT version, name FROM schema_versions ORDER BY version'));
  expect(versions).toEqual(MIGRATIONS.map(({ name }, index) => [index + 1, name]));
});

test('every migration that is released keeps its name and place', () => {
  expect(MIGRATIONS.map(({ name }) => name)).toEqual([
    '0001-orders',
    '0002-runs',
    '0003-ledger',
    '0004-verdicts',
    '0005-journal',
    '0006-release-members',
    '0007-batches',
    '0008-row-places',
    '0009-screened',
    '0010-example-digests',
  ]);
});

test('a file of a newer schema is refused untouched, with a sentence', async () => {
  const { store, file } = await tempStore();
  await store.close();
  await withRaw(file, (sql) => sql("INSERT INTO schema_versions VALUES (99, '0099-later', 1)"));
  await expect(openStore(file)).rejects.toMatchObject({ code: 'schema_newer', message: expect.stringContaining('schema 99') });
});

test('a file that is no database is refused by name', async () => {
  const file = join(await tempFolder(), 'memcalib.duckdb');
  await writeFile(file, 'x'.repeat(20_000));
  await expect(openStore(file)).rejects.toMatchObject({ code: 'corrupt_file', message: expect.stringContaining(file) });
});

test('a second store on a file in one process is refused, the first one goes on, and closing frees the file', async () => {
  const { store, file } = await tempStore();
  await expect(openStore(file)).rejects.toMatchObject({ code: 'already_open' });
  await expect(openStore(file, { readOnly: true })).rejects.toMatchObject({ code: 'already_open' });
  await store.putFact('a', '1');
  await store.close();
  await store.close();
  await expect(store.putFact('a', '2')).rejects.toMatchObject({ code: 'closed' });
  await expect(store.fact('a')).rejects.toMatchObject({ code: 'closed' });
  const again = await reopened(file);
  expect(await again.fact('a')).toBe('1');
});

test('a store opened for reading reads, refuses writes, and must exist', async () => {
  const { store, file } = await tempStore();
  await store.putFact('a', '1');
  await store.close();
  const reader = await reopened(file, { readOnly: true });
  expect(await reader.fact('a')).toBe('1');
  await expect(reader.putFact('a', '2')).rejects.toMatchObject({ code: 'read_only' });
  await expect(openStore(`${file}.absent`, { readOnly: true })).rejects.toMatchObject({ code: 'missing_file' });
});

test.each([
  [0x6969, 'NFS'],
  [0xff534d42 | 0, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9p'],
  [0xef53, null],
  [0x01021994, null],
])('file system type %i is read as %s', async (type, name) => {
  expect(networkFileSystem(type)).toBe(name);
  const code = await refuseNetworkFolder('/mnt/share', () => Promise.resolve(type)).then(
    () => null,
    (error: unknown) => (error instanceof StoreError ? error.code : error),
  );
  expect(code).toBe(name === null ? null : 'network_file_system');
});

test.each([
  ['IO Error: Could not write file "x": No space left on device', 'disk_full'],
  ['IO Error: Could not write file "x": File too large', 'disk_full'],
  ['IO Error: Could not set lock on file "x": Conflicting lock is held in node (PID 42)', 'locked'],
  ['IO Error: The file "x" exists, but it is not a valid DuckDB database file!', 'corrupt_file'],
  ['IO Error: Cannot open file "x": Permission denied', 'read_only_folder'],
  ['Binder Error: something else', 'failed'],
])('"%s" becomes %s', (message, code) => {
  const error = storeErrorFrom(new Error(message), '/p/memcalib.duckdb');
  expect(error).toMatchObject({ code, retryable: code === 'locked' });
  expect(error.message).toMatch(/`.+`/);
  expect(storeErrorFrom(error, 'other')).toBe(error);
});
