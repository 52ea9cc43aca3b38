import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { packageRoot } from './package-root.ts';

/** A bundled config with the files it was made of, so that it is bundled anew only when one of them changed. */
interface CachedBundle {
  readonly inputs: Readonly<Record<string, string>>;
  readonly code: string;
}

function sha256Of(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function folder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'memcalib', 'configs');
}

/** One entry per config file and installation; the folder is the user's own (0700), since what lies there is run. */
function pathOf(file: string): string {
  return join(folder(), `${sha256Of(`${file}\n${packageRoot()}`)}.json`);
}

/** The bundle of a config when every file it was made of is still the same; else null. */
export function cachedBundle(file: string): string | null {
  try {
    const entry = JSON.parse(readFileSync(pathOf(file), 'utf8')) as CachedBundle;
    const inputs = Object.entries(entry.inputs);
    return inputs.length > 0 && inputs.every(([path, hash]) => sha256Of(readFileSync(path)) === hash) ? entry.code : null;
  } catch {
    return null;
  }
}

/** Keeps a bundle; a cache that cannot be written only costs time. */
export function cacheBundle(file: string, inputs: readonly string[], code: string): void {
  try {
    const paths = inputs.map((path) => resolve(path));
    const entry: CachedBundle = { inputs: Object.fromEntries(paths.map((path) => [path, sha256Of(readFileSync(path))])), code };
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    const target = pathOf(file);
    writeFileSync(`${target}.${process.pid}`, JSON.stringify(entry), { mode: 0o600 });
    renameSync(`${target}.${process.pid}`, target);
  } catch {
    return;
  }
}
