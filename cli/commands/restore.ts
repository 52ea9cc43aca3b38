import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { TarError } from '../../hub/tar.ts';
import { unpackBackup } from '../../hub/backup-file.ts';
import type { BackupManifest } from '../../hub/backup-file.ts';
import { attach } from '../attach.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { keepFilesPrivate } from '../private-files.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, sayJson } from './options.ts';
import { tell } from './told-commands.ts';
import { count } from './table.ts';

function refuseOverProject({ projectFolder }: LoadedConfig): void {
  const owner = attach(projectFolder);
  if (owner !== null)
    throw new CliError(
      `${projectFolder} is a live project (held by pid ${owner.owner.pid}, \`${owner.owner.command}\`), and a restore replaces nothing. Name another projectDir in the config.`,
      EXIT.usage,
    );
  if (existsSync(projectFolder) && readdirSync(projectFolder).length > 0)
    throw new CliError(
      `${projectFolder} holds a project already, and a restore replaces nothing. Move it away, or name another projectDir in the config.`,
      EXIT.usage,
    );
}

async function unpack(file: string, folder: string): Promise<BackupManifest> {
  try {
    const manifest = await unpackBackup(file, folder);
    const { openStore } = await import('../../store/open.ts');
    await (await openStore(join(folder, 'memcalib.duckdb'))).close();
    return manifest;
  } catch (error) {
    if (error instanceof TarError) throw new CliError(`${file} cannot be restored: ${error.message}`, EXIT.environment, { cause: error });
    throw error;
  }
}

/** `memcalib restore FILE`: puts a backup where the config says the project lies, checked file by file, all or nothing. */
export async function runRestore(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.positional[0] ?? '');
  const loaded = await configOf(invocation);
  if (!existsSync(file)) throw new CliError(`There is no backup ${file}. Type \`memcalib backup FILE\` where the project is.`, EXIT.usage);
  refuseOverProject(loaded);
  keepFilesPrivate();
  const { projectFolder } = loaded;
  const part = `${projectFolder}.restoring-${process.pid}`;
  try {
    await mkdir(dirname(projectFolder), { recursive: true });
    await mkdir(part, { mode: 0o700 });
    const manifest = await unpack(file, part);
    refuseOverProject(loaded);
    if (existsSync(projectFolder)) await rmdir(projectFolder);
    await rename(part, projectFolder);
    const files = Object.keys(manifest.files).length;
    if (isOn(invocation, 'json')) sayJson({ projectFolder, ...manifest });
    else
      tell(
        invocation,
        `Restored ${count(files, 'file')} of ${manifest.made_at} to ${projectFolder}, each checked by its hash.\nnext: memcalib status`,
      );
    return EXIT.ok;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
