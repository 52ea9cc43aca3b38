import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DuckDbStore } from '../../store/duckdb-store.ts';
import { openStore, type OpenOptions } from '../../store/open.ts';

/** A folder that is gone when the test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'memcalib-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A real store in a folder of its own, closed when the test ends. */
export async function tempStore(options?: OpenOptions): Promise<{ readonly store: DuckDbStore; readonly file: string }> {
  const file = join(await tempFolder(), 'memcalib.duckdb');
  const store = await openStore(file, options);
  onTestFinished(() => store.close());
  return { store, file };
}

/** Opens a file again and closes it when the test ends. */
export async function reopened(file: string, options?: OpenOptions): Promise<DuckDbStore> {
  const store = await openStore(file, options);
  onTestFinished(() => store.close());
  return store;
}
