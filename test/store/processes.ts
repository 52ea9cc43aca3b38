import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Compiles a script (`child.ts` here, when none is named) into a temporary folder and gives its path and how to remove it. */
export async function compileChild(
  entry = join(import.meta.dirname, 'child.ts'),
): Promise<{ readonly script: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'memcalib-child-'));
  await chmod(folder, 0o755);
  const root = resolve(import.meta.dirname, '../..');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const script = join(folder, 'child.mjs');
  await build({
    // Another test of this worker may have started esbuild in a folder that is gone.
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: script,
    logLevel: 'error',
  });
  return { script, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A running child and the lines it has said so far. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves with all lines once the process is gone. */
  readonly ended: Promise<readonly string[]>;
  /** Resolves once so many lines were said or the process is gone. */
  said(count: number): Promise<void>;
}

/** Starts a command whose lines are collected; it is killed when the test ends. */
export function start(command: string, args: readonly string[], options: { readonly uid?: number; readonly gid?: number } = {}): Child {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const wake = (all: boolean): void => {
    for (const one of waiting) if (all || lines.length >= one.count) one.resolve();
  };
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    lines.push(line);
    wake(false);
  });
  const ended = new Promise<readonly string[]>((resolve) => {
    reader.on('close', () => {
      wake(true);
      resolve(lines);
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const said = (count: number): Promise<void> =>
    lines.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }));
  return { process: child, lines, ended, said };
}
