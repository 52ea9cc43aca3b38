import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { notAnExport } from './export-error.ts';
import { isAlive } from './process-alive.ts';

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Removes what writers killed in mid-write left beside the folder, and puts an export back that was set aside when one died. */
async function recover(folder: string): Promise<void> {
  const [parent, name] = [dirname(folder), basename(folder)];
  for (const entry of await readdir(parent)) {
    if (!entry.startsWith(`.${name}.partial-`)) continue;
    const pid = Number(entry.slice(`.${name}.partial-`.length));
    if (!Number.isInteger(pid) || pid === process.pid || !isAlive(pid)) await rm(join(parent, entry), { recursive: true, force: true });
  }
  const previous = join(parent, `.${name}.previous`);
  if (!(await exists(previous))) return;
  if (await exists(folder)) await rm(previous, { recursive: true, force: true });
  else await rename(previous, folder);
}

/** Refuses a folder that holds anything but an export of ours (or nothing). */
async function checkReplaceable(folder: string): Promise<void> {
  if (!(await exists(folder))) return;
  const entries = await readdir(folder);
  if (entries.length === 0) return;
  const manifest = entries.includes('manifest.json') ? await readFile(join(folder, 'manifest.json'), 'utf8') : '';
  if (!manifest.includes('"memcalib-export-')) throw notAnExport(folder);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Fills a new folder beside `folder` and then puts it in its place by rename. An earlier export stays untouched until then,
 * is set aside during the swap, and is removed only when the new one stands. On any error nothing half-written remains.
 */
export async function replaceFolder<Result>(folder: string, fill: (partial: string) => Promise<Result>): Promise<Result> {
  const target = resolve(folder);
  const [parent, name] = [dirname(target), basename(target)];
  await mkdir(parent, { recursive: true });
  await recover(target);
  await checkReplaceable(target);
  const partial = join(parent, `.${name}.partial-${process.pid}`);
  const previous = join(parent, `.${name}.previous`);
  try {
    await mkdir(partial);
    const result = await fill(partial);
    await syncFolder(partial);
    const replaces = await exists(target);
    if (replaces) await rename(target, previous);
    try {
      await rename(partial, target);
    } catch (error) {
      if (replaces) await rename(previous, target);
      throw error;
    }
    await syncFolder(parent);
    await rm(previous, { recursive: true, force: true });
    return result;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}
