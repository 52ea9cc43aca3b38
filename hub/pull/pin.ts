import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { HubError } from './hub-error.ts';

/** One file of a pinned source: its path in the dataset, its size, and what it must hash to. */
export const PinnedFile = z.strictObject({
  path: z.string().min(1),
  bytes: z.int().nonnegative(),
  /** SHA-256 by the hub's record (large files); null for small ones until they have been fetched and checked by `gitOid`. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  gitOid: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .nullable(),
});
export type PinnedFile = z.infer<typeof PinnedFile>;

/** What a source is pinned to: a commit and the exact files of it. Lies beside the files as `pin.json`. */
export const Pin = z.strictObject({
  format: z.literal('memcalib-pin-1'),
  repo: z.string(),
  /** What was asked for: a branch, a tag or a commit. */
  asked: z.string(),
  /** The commit it stood for; `local-` and a content hash for files that came from a folder. */
  commit: z.string().min(1),
  include: z.array(z.string()),
  files: z.array(PinnedFile).min(1),
});
export type Pin = z.infer<typeof Pin>;

/** Where one source of a project lies. */
export interface PulledPaths {
  readonly folder: string;
  readonly pin: string;
  readonly files: string;
  readonly lock: string;
}

/** Paths of a pulled source under the project's `sources/`. */
export function pulledPaths(sourcesDir: string, name: string): PulledPaths {
  const folder = join(sourcesDir, name);
  return { folder, pin: join(folder, 'pin.json'), files: join(folder, 'files'), lock: join(folder, 'pull.lock') };
}

/** Reads the pin of a source; null when it was never pulled. */
export async function readPin(paths: PulledPaths): Promise<Pin | null> {
  const text = await readFile(paths.pin, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  const parsed = Pin.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HubError('bad_pin', `${paths.pin} is no pin of this version: remove it, then type \`memcalib sources pull\`.`);
}

/** Writes a pin so that a kill leaves the old one or the new one, never half of either. */
export async function writePin(paths: PulledPaths, pin: Pin): Promise<void> {
  await mkdir(dirname(paths.pin), { recursive: true, mode: 0o700 });
  const partial = `${paths.pin}.partial-${process.pid}`;
  const handle = await open(partial, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(pin, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, paths.pin);
}

/** Size of a file; null when it is not there. */
export async function sizeOf(path: string): Promise<number | null> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  return info?.size ?? null;
}

/** The files of a pin that are not (wholly) there. A file gets its name only after its hash was checked. */
export async function missingFiles(paths: PulledPaths, pin: Pin): Promise<readonly PinnedFile[]> {
  const missing: PinnedFile[] = [];
  for (const file of pin.files) if (file.sha256 === null || (await sizeOf(join(paths.files, file.path))) !== file.bytes) missing.push(file);
  return missing;
}
