import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readOwnerFile } from '../../cli/owner/owner-file.ts';
import type { OwnerFile } from '../../cli/owner/owner-file.ts';
import type { ConfigInput } from '../../schemas/config.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'bin', 'memcalib.js');

const DEMO_ROWS = [
  ['meddialog', 'meddialog.jsonl'],
  ['healthcaremagic', 'healthcaremagic.jsonl'],
  ['ultrachat', 'ultrachat.json'],
  ['oasst1', 'oasst1.jsonl'],
  ['oasst2', 'oasst2.trees.jsonl'],
  ['magicoder', 'magicoder.csv'],
  ['apps', 'apps.jsonl'],
  ['stackexchange', 'stackexchange.jsonl'],
] as const;

/** How a command ended, with everything it printed. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A command that runs. */
export interface Running {
  readonly ended: Promise<Ended>;
  readonly child: ChildProcess;
}

/** A project in a folder of its own, driven through the compiled program as a person would. */
export interface TestProject {
  readonly folder: string;
  start(command: string, ...args: readonly string[]): Running;
  run(command: string, ...args: readonly string[]): Promise<Ended>;
  /** The live owner; null when none runs. */
  owner(): OwnerFile | null;
  /** Ends a live owner with a signal and waits until it is gone. */
  endOwner(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  writeConfig(config: Partial<ConfigInput>): void;
  cleanUp(): Promise<void>;
}

/** Waits until a look gives something; says what it waited for when it does not come in time. */
export async function until<T>(what: string, look: () => Promise<T | null> | T | null, options: WaitOptions = {}): Promise<T> {
  const { withinMs = 120_000, everyMs = 20 } = options;
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

export interface WaitOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/** Whether a process is there (a zombie is not). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc') || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Sends SIGKILL; a process that has just ended is no fault. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function runProgram(args: readonly string[]): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, output }))) };
}

/** Pids of processes whose command line names a folder: owners before they announce themselves, and their Temporal servers. */
function pidsNaming(folder: string): readonly number[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(folder) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** The demo rows as sources of a test config. */
export function demoSources(): ConfigInput['sources'] {
  return DEMO_ROWS.map(([adapter, file]) => ({
    name: `demo-${adapter}`,
    adapter,
    path: join(ROOT, 'datasets', 'demo', 'rows', file),
    licence: 'CC0-1.0',
  }));
}

/** Makes a project over the demo rows. Call `cleanUp` whatever happens. */
export function makeProject(config: Partial<ConfigInput>): TestProject {
  if (!existsSync(join(ROOT, 'dist', 'workflow-bundle.js'))) throw new Error('nothing is compiled: type `node tools/setup.mjs` first');
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-live-'));
  const file = join(folder, 'memcalib.config.json');
  const projectFolder = join(folder, '.memcalib');
  const running = new Set<Running>();
  const owner = (): OwnerFile | null => readOwnerFile(projectFolder);
  const start: TestProject['start'] = (command, ...args) => {
    const made = runProgram([command, ...args, '--config', file]);
    running.add(made);
    void made.ended.then(() => running.delete(made));
    return made;
  };
  const writeConfig: TestProject['writeConfig'] = (config) => {
    const full = { name: 'test', seed: 'test-1', target: { health: 2, general: 2, coding: 2 }, sources: demoSources(), ...config };
    writeFileSync(file, JSON.stringify(full));
  };
  writeConfig(config);
  return {
    folder: projectFolder,
    start,
    run: (command, ...args) => start(command, ...args).ended,
    owner,
    writeConfig,
    endOwner: async (signal) => {
      const pid = owner()?.pid;
      if (pid === undefined) return;
      process.kill(pid, signal);
      await until(`the end of owner ${pid} after ${signal}`, () => (isAlive(pid) ? null : true));
    },
    cleanUp: async () => {
      const children = [...running].map((made) => made.child.pid ?? 0);
      const last = owner();
      for (const pid of [...children, last?.pid ?? 0, ...pidsNaming(folder)]) if (pid > 0) killNow(pid);
      await until('the end of every process of the project', () => {
        const left = [...pidsNaming(folder), last?.temporalPid ?? 0, last?.rehearsalPid ?? 0].filter((pid) => pid > 0 && isAlive(pid));
        for (const pid of pidsNaming(folder)) killNow(pid);
        return left.length === 0 ? true : null;
      });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A rehearsal server of the test's own, whose counts no kill of an owner touches. */
export interface TestRehearsal {
  readonly url: string;
  calls(): Promise<number>;
  /** Calls of a step so far. */
  callsOf(step: string): Promise<number>;
  inFlight(): Promise<number>;
  stop(): Promise<void>;
}

interface Stats {
  readonly calls: number;
  readonly tasks: Readonly<Record<string, number>>;
  readonly models: Readonly<Record<string, { readonly inFlight: number }>>;
}

/** Starts `memcalib rehearse` on a free port. */
export async function startRehearsal(...args: readonly string[]): Promise<TestRehearsal> {
  const { child, ended } = runProgram(['rehearse', '--quiet', ...args]);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    void ended.then(({ output }) => reject(new Error(`the rehearsal server ended: ${output}`)));
  });
  const stats = async (): Promise<Stats> => (await (await fetch(new URL('/stats', url))).json()) as Stats;
  return {
    url,
    calls: async () => (await stats()).calls,
    callsOf: async (step) => (await stats()).tasks[step] ?? 0,
    inFlight: async () => Object.values((await stats()).models).reduce((sum, model) => sum + model.inFlight, 0),
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Config fields that send every call to a server; the limits can be overridden. */
export function askingServer(url: string, concurrency = 16): Pick<ConfigInput, 'providers' | 'models'> {
  const model = (name: string): { provider: string; model: string } => ({ provider: 'server', model: name });
  return {
    providers: { server: { baseUrl: url, concurrency, structuredOutput: 'json_schema', timeoutSeconds: 60 } },
    models: { builder: model('rehearsal'), reviewerA: model('rehearsal-a'), reviewerB: model('rehearsal-b') },
  };
}
