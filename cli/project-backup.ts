import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeBackup } from '../hub/backup-file.ts';
import type { BackupManifest } from '../hub/backup-file.ts';
import type { DuckDbStore } from '../store/duckdb-store.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { LoadedConfig } from './config-file.ts';
import { packageRoot } from './package-root.ts';

/** Where a backup would go: a file that is not there yet, in a folder that is. */
export function backupPath(name: string): string {
  const path = resolve(name);
  if (existsSync(path)) throw new CliError(`${path} is there already, and a backup replaces nothing. Name another file.`, EXIT.usage);
  if (!existsSync(dirname(path)))
    throw new CliError(`There is no folder ${dirname(path)} for the backup. Make it, or name another.`, EXIT.usage);
  return path;
}

/** Backs up an open project into one checked file. */
export async function backUp(loaded: LoadedConfig, store: DuckDbStore, path: string): Promise<BackupManifest> {
  const storeCopy = `${path}.store`;
  await rm(storeCopy, { force: true });
  try {
    await store.upkeep.copyTo(storeCopy);
    const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string };
    return await writeBackup(path, { folder: loaded.projectFolder, storeCopy }, { at: new Date().toISOString(), version });
  } finally {
    await rm(storeCopy, { force: true });
  }
}
