import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/**
 * The shell holds the child and reads a pipe from us: when we die in any way, the pipe closes and the child is ended with us.
 * It prints the child's pid first, and ends when the child does.
 */
const HOLDER = [
  'exec 3<&0',
  '"$@" </dev/null >&2 3<&- & child=$!',
  'echo "$child"',
  '( read -r _ <&3; kill -9 "$child" ) >/dev/null 2>&1 & watch=$!',
  'wait "$child"; code=$?',
  'kill "$watch" 2>/dev/null',
  'exit "$code"',
].join('\n');

/** A child process that never outlives us. */
export interface HeldChild {
  /** Pid of the program itself, not of the shell that holds it. */
  readonly pid: number;
  /** Exit code; null when the holder was ended by a signal. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the program ended before it started')));
  });
}

/** Starts a program whose output goes to a log file and which dies with this process, however it ends. */
export async function startHeldChild(
  program: string,
  args: readonly string[],
  logFile: string,
  env: NodeJS.ProcessEnv,
): Promise<HeldChild> {
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn('/bin/sh', ['-c', HOLDER, 'sh', program, ...args], { stdio: ['pipe', 'pipe', log], env });
  closeSync(log);
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const pid = Number(await firstLine(child));
  child.stdin?.on('error', () => undefined);
  return {
    pid,
    exited,
    stop: async () => {
      try {
        process.kill(pid, 'SIGTERM');
      } catch {
        return;
      }
      const timer = setTimeout(() => child.stdin?.end(), 5000);
      await exited;
      clearTimeout(timer);
    },
  };
}
