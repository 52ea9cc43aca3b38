import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isAlive, processStat } from '../../hub/process-alive.ts';

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
  const parsed = OwnerFile.safeParse(jsonOrNull(readFileSync(path, 'utf8')));
  if (!parsed.success) return null;
  const { pid, processStart: started } = parsed.data;
  return isAlive(pid) && processStart(pid) === started ? parsed.data : null;
}

/** Removes the file when the owner ends. */
export function removeOwnerFile(folder: string): void {
  rmSync(join(folder, 'owner.json'), { force: true });
}
