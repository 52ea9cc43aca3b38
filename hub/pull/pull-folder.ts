import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { SourceConfig } from '../../schemas/config.ts';
import { hashOf } from '../../schemas/hash.ts';
import { partOf } from './fetch-file.ts';
import { fileHashes } from './file-hashes.ts';
import { HubError } from './hub-error.ts';
import { checkPath, includeOf, isIncluded, nothingMatches } from './include.ts';
import { missingFiles, pulledPaths, readPin, sizeOf, writePin, type PinnedFile } from './pin.ts';
import { withPullLock } from './pull-lock.ts';
import { checkDisk, replacePin, type PullOptions, type PullReport } from './pull-source.ts';

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

/** The folder that holds a source: one named for it or for its dataset inside the given folder, else the given folder itself. */
async function folderOf(source: SourceConfig, given: string, isOnly: boolean): Promise<string> {
  const repo = source.hub?.repo ?? source.name;
  for (const name of [source.name, repo, repo.replace('/', '__'), basename(repo)])
    if (await isFolder(join(given, name))) return join(given, name);
  if (isOnly && (await isFolder(given))) return given;
  throw new HubError(
    'missing_repo',
    `Source ${source.name}: ${given} holds no folder ${source.name} or ${repo}. Put its files there, or name the folder of this one: \`memcalib sources pull ${source.name} --from FOLDER\`.`,
  );
}

async function listFolder(source: SourceConfig, folder: string): Promise<readonly PinnedFile[]> {
  const include = includeOf(source);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const present = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  const files: PinnedFile[] = [];
  for (const path of present.filter((name) => isIncluded(name, include))) {
    checkPath(path, source.name);
    const bytes = (await sizeOf(join(folder, path))) ?? 0;
    files.push({ path, bytes, ...(await fileHashes(join(folder, path), bytes)) });
  }
  if (files.length === 0) throw nothingMatches(source, folder, include, present);
  return files;
}

/** Copies one file and checks the copy; the copy gets its name only then. */
async function copyChecked(source: string, from: string, target: string, file: PinnedFile): Promise<void> {
  const part = partOf(target);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await rm(part, { force: true });
  await copyFile(from, part);
  const handle = await open(part, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  const { sha256 } = await fileHashes(part, file.bytes);
  if (sha256 !== file.sha256)
    throw new HubError(
      'wrong_hash',
      `Source ${source}: ${from} changed while it was copied; type the command again when nothing writes to it.`,
    );
  await rename(part, target);
}

/**
 * Takes a source from a folder instead of the hub, offline: the same patterns, pinned by content. The commit is the one named by
 * `--revision` or by a snapshot folder of the hub's cache, else `local-` and a hash of the files.
 */
export async function pullFromFolder(
  source: SourceConfig,
  from: string,
  options: Pick<PullOptions, 'sourcesDir' | 'revision' | 'onProgress' | 'freeBytes'> & { readonly isOnly: boolean },
): Promise<PullReport> {
  const folder = await folderOf(source, resolve(from), options.isOnly);
  const paths = pulledPaths(options.sourcesDir, source.name);
  return withPullLock(paths.lock, source.name, async () => {
    const files = await listFolder(source, folder);
    const ofSnapshot = /(?:^|\/)snapshots\/([0-9a-f]{40})(?:\/|$)/.exec(folder)?.[1];
    const named = options.revision ?? ofSnapshot;
    const commit = named ?? `local-${hashOf(files.map(({ path, sha256 }) => [path, sha256])).slice(0, 16)}`;
    const repo = source.hub?.repo ?? source.name;
    const pin = await replacePin(paths, await readPin(paths), {
      format: 'memcalib-pin-1',
      repo,
      asked: named ?? 'local',
      commit,
      include: [...includeOf(source)],
      files: [...files],
    });
    const missing = await missingFiles(paths, pin);
    await checkDisk(
      source.name,
      paths,
      missing.reduce((sum, file) => sum + file.bytes, 0),
      options.freeBytes,
    );
    const totalBytes = pin.files.reduce((sum, file) => sum + file.bytes, 0);
    let doneBytes = totalBytes - missing.reduce((sum, file) => sum + file.bytes, 0);
    for (const [at, file] of missing.entries()) {
      await copyChecked(source.name, join(folder, file.path), join(paths.files, file.path), file);
      doneBytes += file.bytes;
      const doneFiles = pin.files.length - missing.length + at + 1;
      options.onProgress?.({ source: source.name, doneBytes, totalBytes, doneFiles, totalFiles: pin.files.length });
    }
    await writePin(paths, pin);
    const fetchedBytes = missing.reduce((sum, file) => sum + file.bytes, 0);
    return {
      source: source.name,
      repo,
      asked: pin.asked,
      commit,
      files: pin.files.length,
      bytes: totalBytes,
      fetchedBytes,
      fetchedFiles: missing.length,
    };
  });
}
