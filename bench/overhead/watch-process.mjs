// CPU seconds and peak memory of processes, sampled from /proc until they end.
import { readFileSync } from 'node:fs';

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
