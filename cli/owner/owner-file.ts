import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, processStat } from '../../hub/process-alive.ts';

/** What an owner says of itself in `owner.json` (mode 0600): enough to attach to it, and to name it to a second writer. */
export interface OwnerFile {
  readonly pid: number;
  /** Kernel start time of the process, so that a reused pid is not mistaken for it. */
  readonly processStart: string;
  readonly startedAt: number;
  readonly command: string;
  readonly port: number;
  readonly token: string;
  readonly temporalPid: number | null;
  readonly rehearsalPid: number | null;
}

/** Checked by hand: every short command reads it, and a schema would cost it more than the reading. */
function isOwnerFile(value: unknown): value is OwnerFile {
  if (typeof value !== 'object' || value === null) return false;
  const file = value as Readonly<Record<string, unknown>>;
  const whole = ['pid', 'port'].every((name) => Number.isInteger(file[name]));
  const texts = ['processStart', 'command', 'token'].every((name) => typeof file[name] === 'string');
  const children = ['temporalPid', 'rehearsalPid'].every((name) => file[name] === null || Number.isInteger(file[name]));
  return whole && texts && children && typeof file['startedAt'] === 'number';
}

/** Start time of a process; empty where that is unknown. */
export function processStart(pid: number): string {
  return processStat(pid)[19] ?? '';
}

/** Writes the file in one step, so that no reader sees half of it. */
export function writeOwnerFile(folder: string, owner: OwnerFile): void {
  const path = join(folder, 'owner.json');
  writeFileSync(`${path}.new`, JSON.stringify(owner), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The live owner of a project; null when none runs (a file left by a dead one, or a damaged one, is ignored: the store's lock decides). */
export function readOwnerFile(folder: string): OwnerFile | null {
  const path = join(folder, 'owner.json');
  if (!existsSync(path)) return null;
  const file = jsonOrNull(readFileSync(path, 'utf8'));
  if (!isOwnerFile(file)) return null;
  return isAlive(file.pid) && processStart(file.pid) === file.processStart ? file : null;
}

/** Removes the file when the owner ends. */
export function removeOwnerFile(folder: string): void {
  rmSync(join(folder, 'owner.json'), { force: true });
}
