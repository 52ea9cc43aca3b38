import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SHARED = resolve(process.env['MEMCALIB_SHARED'] ?? join(import.meta.dirname, '../../../shared'));

/** A file of the shared folder, or the reason why tests that need it are skipped. */
export function sharedFile(path: string): { readonly path: string; readonly missing: string | null } {
  const full = join(SHARED, path);
  return { path: full, missing: existsSync(full) ? null : `${full} is not there; set MEMCALIB_SHARED` };
}

/** Why a Python program cannot be run here, or null. */
export function pythonMissing(): string | null {
  return spawnSync('python3', ['--version']).status === 0 ? null : 'python3 is not installed';
}
