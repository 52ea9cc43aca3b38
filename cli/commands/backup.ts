import { statSync } from 'node:fs';
import { EXIT } from '../cli-error.ts';
import { withStoreAlone } from '../exclusive.ts';
import { keepFilesPrivate } from '../private-files.ts';
import { backupPath, backUp } from '../project-backup.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, sayJson } from './options.ts';
import { tell } from './told-commands.ts';
import { bytesText, count } from './table.ts';

/** `memcalib backup FILE`: the whole project in one checked file. */
export async function runBackup(invocation: Invocation): Promise<number> {
  const path = backupPath(invocation.positional[0] ?? '');
  const loaded = await configOf(invocation);
  keepFilesPrivate();
  const manifest = await withStoreAlone(loaded, 'backup', (store) => backUp(loaded, store, path));
  const { size } = statSync(path);
  const files = Object.keys(manifest.files).length;
  if (isOn(invocation, 'json')) sayJson({ file: path, bytes: size, ...manifest });
  else
    tell(
      invocation,
      `Backed up ${loaded.projectFolder} (${count(files, 'file')}) to ${path}, ${bytesText(size)}.\nnext: memcalib restore ${path}   (into a folder without a project; the config file is not in it)`,
    );
  return EXIT.ok;
}
