// CPU seconds and peak memory of processes, sampled from /proc until they end.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const TICKS = 100;

function sample(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    return { cpuS: (Number(fields[11]) + Number(fields[12])) / TICKS, peakMb: Number(peak) / 1024 };
  } catch {
    return null;
  }
}

/** CPU seconds of all processes this one started and that have ended; null where there is no /proc. */
export function cpuOfEnded() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    return null;
  }
}

/** Watches processes by name; `pidOf` may give null until a process is there. */
export function watch(pidOf) {
  const seen = new Map();
  const look = () => {
    for (const [name, find] of Object.entries(pidOf)) {
      const pid = find();
      const now = pid === null || pid === undefined ? null : sample(pid);
      if (now !== null) seen.set(name, now);
    }
  };
  const timer = setInterval(look, 100);
  return () => {
    look();
    clearInterval(timer);
    return Object.fromEntries(seen);
  };
}

/** A thread that did not write for so long has ended, or collects garbage; it writes four times a second. */
const SILENT_MS = 1000;

/** Watches what heap-probe.mjs writes to a folder; gives the most MB of heap that all threads together used at one time. */
export function watchHeap(folder) {
  let most = 0;
  const timer = setInterval(() => {
    const threads = readdirSync(folder).filter((name) => name.startsWith('now-'));
    const alive = threads.map((name) => join(folder, name)).filter((file) => Date.now() - statSync(file).mtimeMs < SILENT_MS);
    most = Math.max(
      most,
      alive.reduce((sum, file) => sum + Number(readFileSync(file, 'utf8')), 0),
    );
  }, 250);
  return () => {
    clearInterval(timer);
    return most / 1048576;
  };
}
