import { readFileSync } from 'node:fs';

/** Fields of /proc/PID/stat after the name of the program (Linux); empty where there is no such file. */
export function processStat(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Whether a process is there and can hold anything: a killed one that its parent has not collected yet has a pid, but holds nothing. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !/^[ZX]/.test(processStat(pid)[0] ?? '');
}
