import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
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

/** What the schema and its defaults are made of: the mark of the set-up, and when they were compiled. Null where TypeScript runs as it is (a test). */
function codeMark(): string | null {
  const dist = join(packageRoot(), 'dist');
  if (!fileURLToPath(import.meta.url).startsWith(dist)) return null;
  const { mtimeMs } = statSync(join(dist, 'schemas', 'config.js'));
  return `${readFileSync(join(dist, '.memcalib-sources'), 'utf8')} ${mtimeMs}`;
}

function checkedPath(value: unknown): string | null {
  const mark = codeMark();
  // Refuses what is no data (a function); then nothing is cached.
  return mark === null ? null : join(folder(), `${sha256Of(Buffer.concat([Buffer.from(mark), serialize(value)]))}.checked.json`);
}

/** A config value as it was checked and filled in by this very code; null when it was not yet. */
export function cachedChecked(value: unknown): unknown {
  try {
    const path = checkedPath(value);
    return path === null ? null : (JSON.parse(readFileSync(path, 'utf8')) as unknown);
  } catch {
    return null;
  }
}

/** Keeps a checked config. */
export function cacheChecked(value: unknown, config: unknown): void {
  try {
    const path = checkedPath(value);
    if (path !== null) replace(path, JSON.stringify(config));
  } catch {
    return;
  }
}

function replace(target: string, text: string): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  writeFileSync(`${target}.${process.pid}`, text, { mode: 0o600 });
  renameSync(`${target}.${process.pid}`, target);
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
    replace(pathOf(file), JSON.stringify(entry));
  } catch {
    return;
  }
}
