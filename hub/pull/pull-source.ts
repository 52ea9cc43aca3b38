import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceConfig } from '../../schemas/config.ts';
import { fetchFile, partOf } from './fetch-file.ts';
import { HubError } from './hub-error.ts';
import type { HubAccess } from './hub-fetch.ts';
import { includeOf, revisionOf } from './include.ts';
import { listPinned, resolveCommit } from './list-remote.ts';
import { missingFiles, pulledPaths, readPin, sizeOf, writePin, type Pin, type PinnedFile, type PulledPaths } from './pin.ts';
import { withPullLock } from './pull-lock.ts';

/** How far a pull is, in bytes and files of one source. */
export interface PullProgress {
  readonly source: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly doneFiles: number;
  readonly totalFiles: number;
}

/** What a pull did. */
export interface PullReport {
  readonly source: string;
  readonly repo: string;
  readonly asked: string;
  readonly commit: string;
  readonly files: number;
  readonly bytes: number;
  /** Bytes that came over the network (or from the folder) in this call. */
  readonly fetchedBytes: number;
  readonly fetchedFiles: number;
}

export interface PullOptions {
  readonly sourcesDir: string;
  readonly access: HubAccess;
  /** Files fetched at once. */
  readonly parallel: number;
  /** Pins anew to what this branch, tag or commit stands for now. */
  readonly revision?: string;
  readonly onProgress?: (progress: PullProgress) => void;
  /** Free bytes of a folder's disk; replaced in tests. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

/** Kept free beside what is pulled, so that the store still has room. */
const RESERVE_BYTES = 64 * 1024 * 1024;

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function isSameFile(a: PinnedFile, b: PinnedFile): boolean {
  return (
    a.path === b.path && a.bytes === b.bytes && (b.sha256 !== null ? a.sha256 === b.sha256 : a.gitOid === b.gitOid && a.gitOid !== null)
  );
}

/** Puts a new pin in place of an old one: files that stay the same are kept, all others removed before the new pin counts. */
export async function replacePin(paths: PulledPaths, old: Pin | null, next: Pin): Promise<Pin> {
  const files = next.files.map((file) => old?.files.find((known) => isSameFile(known, file)) ?? file);
  for (const known of old?.files ?? []) {
    if (files.includes(known)) continue;
    await rm(join(paths.files, known.path), { force: true });
    await rm(partOf(join(paths.files, known.path)), { force: true });
  }
  const pin = { ...next, files };
  await writePin(paths, pin);
  return pin;
}

/** The pin that holds for a pull: the stored one, unless another revision is asked for. */
async function pinFor(source: SourceConfig, repo: string, paths: PulledPaths, options: PullOptions): Promise<Pin> {
  const stored = await readPin(paths);
  const asked = options.revision ?? revisionOf(source);
  const include = includeOf(source);
  const isStill =
    stored !== null &&
    stored.repo === repo &&
    options.revision === undefined &&
    (stored.asked === asked || source.hub?.revision === undefined);
  if (stored !== null && isStill && JSON.stringify(stored.include) === JSON.stringify(include)) {
    if ((await missingFiles(paths, stored)).length === 0) return stored;
    if (stored.commit.startsWith('local-'))
      throw new HubError(
        'missing_file',
        `Source ${source.name} came from a folder and some of its files are gone: type \`memcalib sources pull ${source.name} --from FOLDER\` again, or \`--revision main\` to pull it from the hub.`,
      );
    await checkUnchanged(source, stored, options.access);
    return stored;
  }
  const commit = stored !== null && isStill ? stored.commit : await resolveCommit(source, repo, asked, options.access);
  const files = await listPinned(source, repo, asked, commit, options.access);
  return replacePin(paths, stored, { format: 'memcalib-pin-1', repo, asked, commit, include: [...include], files });
}

/** Before a broken pull goes on: the pinned commit must list the same files with the same sizes and hashes. */
async function checkUnchanged(source: SourceConfig, pin: Pin, access: HubAccess): Promise<void> {
  const now = await listPinned(source, pin.repo, pin.commit, pin.commit, access);
  const changed = pin.files.find((file) => !now.some((other) => isSameFile(file, other))) ?? null;
  if (changed === null && now.length === pin.files.length) return;
  throw new HubError(
    'changed_file',
    `Source ${source.name}: the hub lists ${changed === null ? 'other files' : `${changed.path} otherwise`} at the pinned commit ${pin.commit} than when it was pinned. A commit does not change, so do not trust it; type \`memcalib sources pull ${source.name} --revision main\` to pin anew.`,
  );
}

async function remainingBytes(paths: PulledPaths, missing: readonly PinnedFile[]): Promise<number> {
  let bytes = 0;
  for (const file of missing) bytes += Math.max(0, file.bytes - ((await sizeOf(partOf(join(paths.files, file.path)))) ?? 0));
  return bytes;
}

/** Refuses before the first byte when the disk cannot hold what is missing. */
export async function checkDisk(
  source: string,
  paths: PulledPaths,
  needed: number,
  freeBytes: (folder: string) => Promise<number> = freeBytesOf,
): Promise<void> {
  await mkdir(paths.files, { recursive: true, mode: 0o700 });
  const free = await freeBytes(paths.files);
  if (needed + RESERVE_BYTES <= free) return;
  const gb = (bytes: number): string => (bytes / 1e9).toFixed(2);
  throw new HubError(
    'disk_full',
    `Source ${source}: ${gb(needed)} GB are still to be pulled and ${gb(free)} GB are free at ${paths.folder}. Free some space or set projectDir to another disk, then type \`memcalib sources pull ${source}\`.`,
  );
}

/** Runs jobs side by side; the first failure stops new ones from starting and is thrown when those under way have ended. */
async function runParallel<Item>(items: readonly Item[], parallel: number, work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && failures.length === 0; item = queue.shift())
      await work(item).catch((error: unknown) => void failures.push(error));
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  if (failures.length > 0) throw failures[0];
}

async function fetchMissing(
  source: SourceConfig,
  paths: PulledPaths,
  pin: Pin,
  options: PullOptions,
): Promise<Pick<PullReport, 'fetchedBytes' | 'fetchedFiles'>> {
  const missing = await missingFiles(paths, pin);
  const remaining = await remainingBytes(paths, missing);
  if (missing.length === 0) return { fetchedBytes: 0, fetchedFiles: 0 };
  await checkDisk(source.name, paths, remaining, options.freeBytes);
  const totalBytes = pin.files.reduce((sum, file) => sum + file.bytes, 0);
  let fetchedBytes = 0;
  let net = 0;
  let fetchedFiles = 0;
  const tell = (): void =>
    options.onProgress?.({
      source: source.name,
      doneBytes: totalBytes - remaining + net,
      totalBytes,
      doneFiles: pin.files.length - missing.length + fetchedFiles,
      totalFiles: pin.files.length,
    });
  const hashes = new Map<string, string>();
  try {
    await runParallel(missing, options.parallel, async (file) => {
      const sha256 = await fetchFile({
        file,
        target: join(paths.files, file.path),
        asked: { source: source.name, repo: pin.repo, revision: pin.commit },
        access: options.access,
        onBytes: (count) => {
          net += count;
          fetchedBytes += Math.max(0, count);
          tell();
        },
      });
      hashes.set(file.path, sha256);
      fetchedFiles += 1;
      tell();
    });
  } finally {
    // Small files get their SHA-256 here; a kill before this only means that they are fetched again.
    if (hashes.size > 0)
      await writePin(paths, {
        ...pin,
        files: pin.files.map((file) => ({ ...file, sha256: file.sha256 ?? hashes.get(file.path) ?? null })),
      });
  }
  return { fetchedBytes, fetchedFiles };
}

/**
 * Pulls one source of the hub into the project: pinned to a commit at the first pull and kept there, resumed by range after any stop,
 * every file checked against the hub's own record. A source that is all there asks the hub nothing.
 */
export async function pullSource(source: SourceConfig, options: PullOptions): Promise<PullReport> {
  const repo = source.hub?.repo;
  if (repo === undefined)
    throw new HubError('missing_repo', `Source ${source.name} is read from its \`path\`, so there is nothing to pull.`);
  const paths = pulledPaths(options.sourcesDir, source.name);
  return withPullLock(paths.lock, source.name, async () => {
    const pin = await pinFor(source, repo, paths, options);
    const fetched = await fetchMissing(source, paths, pin, options);
    return {
      source: source.name,
      repo,
      asked: pin.asked,
      commit: pin.commit,
      files: pin.files.length,
      bytes: pin.files.reduce((sum, file) => sum + file.bytes, 0),
      ...fetched,
    };
  });
}
