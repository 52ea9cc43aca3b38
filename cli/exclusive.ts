import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDbStore } from '../store/duckdb-store.ts';
import { attach } from './attach.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { LoadedConfig } from './config-file.ts';

/** An owner without work ends after a few seconds: it is waited for so long. */
const PATIENCE_MS = 8000;

/** Waits until no owner runs; one that keeps working is named, with what to type. */
export async function withoutOwner(loaded: LoadedConfig, command: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let client = attach(loaded.projectFolder); client !== null; client = attach(loaded.projectFolder)) {
    if (Date.now() > deadline) {
      const { pid, command: holder, startedAt } = client.owner;
      throw new CliError(
        `The project is held by pid ${pid} (\`${holder}\`, since ${new Date(startedAt).toISOString()}), and \`memcalib ${command}\` needs it alone. Type \`memcalib pause\` if it builds, end it with \`kill ${pid}\` (nothing is lost), and type the command again.`,
        EXIT.environment,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** An owner that has just said goodbye holds the file for a moment still. */
async function openPatiently(file: string): Promise<DuckDbStore> {
  const { openStore } = await import('../store/open.ts');
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await openStore(file);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'locked') || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Opens the store for work on the whole file, with no owner beside it, and closes it whatever happens. */
export async function withStoreAlone<T>(loaded: LoadedConfig, command: string, work: (store: DuckDbStore) => Promise<T>): Promise<T> {
  const file = join(loaded.projectFolder, 'memcalib.duckdb');
  await withoutOwner(loaded, command);
  if (!existsSync(file))
    throw new CliError(`There is no project at ${loaded.projectFolder} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
  const store = await openPatiently(file);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
