import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What an owner says of itself in `owner.json` (mode 0600): enough to attach to it, and to name it to a second writer. */
const OwnerFile = z.object({
  pid: z.int(),
  /** Kernel start time of the process, so that a reused pid is not mistaken for it. */
  processStart: z.string(),
  startedAt: z.number(),
  command: z.string(),
  port: z.int(),
  token: z.string(),
  temporalPid: z.int().nullable(),
  rehearsalPid: z.int().nullable(),
});
export type OwnerFile = z.infer<typeof OwnerFile>;

/** Start time of a process from /proc (Linux); empty where that is unknown. */
export function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive(owner: OwnerFile): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch {
    return false;
  }
  return processStart(owner.pid) === owner.processStart;
}

/** Writes the file in one step, so that no reader sees half of it. */
export function writeOwnerFile(folder: string, owner: OwnerFile): void {
  const path = join(folder, 'owner.json');
  writeFileSync(`${path}.new`, JSON.stringify(owner), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The live owner of a project; null when none runs (a file left by a dead one is ignored). */
export function readOwnerFile(folder: string): OwnerFile | null {
  const path = join(folder, 'owner.json');
  if (!existsSync(path)) return null;
  const parsed = OwnerFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  return parsed.success && isAlive(parsed.data) ? parsed.data : null;
}

/** Removes the file when the owner ends. */
export function removeOwnerFile(folder: string): void {
  rmSync(join(folder, 'owner.json'), { force: true });
}
