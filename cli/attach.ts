import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, EXIT, STORE_IS_HELD } from './cli-error.ts';
import type { LoadedConfig } from './config-file.ts';
import { readOwnerFile } from './owner/owner-file.ts';
import type { OwnerFile } from './owner/owner-file.ts';
import { packageRoot } from './package-root.ts';

/** An attached owner: sends commands over its loopback API. */
export interface OwnerClient {
  readonly owner: OwnerFile;
  call(command: string, args?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The owner ended between the look at its file and its answer. A question may be asked again; an order is for the person to repeat. */
export class OwnerGoneError extends CliError {}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** `node:http` and not fetch: loading fetch alone costs a short command a fifth of its time. */
function exchange(owner: OwnerFile, command: string, payload: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: owner.port,
        path: `/api/${command}`,
        method: 'POST',
        headers: {
          authorization: `Bearer ${owner.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('aborted', () => reject(new Error('the answer broke off')));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

async function post(owner: OwnerFile, command: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  let answer: Answer;
  try {
    answer = await exchange(owner, command, JSON.stringify(args));
  } catch (error) {
    throw new OwnerGoneError(
      `The owner (pid ${owner.pid}) ended while this command talked to it. Nothing is lost: type the same command again.`,
      EXIT.unfinished,
      { cause: error },
    );
  }
  const body = JSON.parse(answer.body) as { readonly value?: unknown; readonly error?: string; readonly exitCode?: number };
  if (answer.status !== 200) throw new CliError(body.error ?? `The owner answered ${answer.status}.`, body.exitCode ?? EXIT.internal);
  return body.value;
}

/** What changes nothing may be asked twice. */
const isQuestion = (command: string): boolean =>
  command === 'ping' || command === 'build.state' || (command.startsWith('query.') && command !== 'query.export');

/** Attaches to the live owner of a project; null when none runs. A question whose connection broke (a laptop slept) is asked once more while the owner lives. */
export function attach(projectFolder: string): OwnerClient | null {
  const owner = readOwnerFile(projectFolder);
  if (owner === null) return null;
  const call = async (command: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
    try {
      return await post(owner, command, args);
    } catch (error) {
      const lives = error instanceof OwnerGoneError && readOwnerFile(projectFolder)?.pid === owner.pid;
      if (!lives) throw error;
      if (isQuestion(command)) return post(owner, command, args);
      throw new CliError(
        `The connection to the owner (pid ${owner.pid}), which is alive, broke off. Type \`memcalib status\` to see whether it did what you asked.`,
        EXIT.unfinished,
        { cause: error },
      );
    }
  };
  return { owner, call };
}

function lastWords(file: string, from: number): string {
  if (!existsSync(file)) return '';
  return readFileSync(file).subarray(from).toString('utf8').trim().split('\n').at(-1) ?? '';
}

/** An owner that is just starting or ending holds the store for a moment: it is waited for so long. */
const PATIENCE_MS = 20_000;
const START_MS = 60_000;

function openLog(loaded: LoadedConfig): { readonly file: string; readonly descriptor: number; readonly length: number } {
  const logs = join(loaded.projectFolder, 'logs');
  try {
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    const file = join(logs, 'owner-start.log');
    return { file, descriptor: openSync(file, 'a', 0o600), length: statSync(file).size };
  } catch (error) {
    throw new CliError(
      `The project folder ${loaded.projectFolder} cannot be written (${String((error as NodeJS.ErrnoException).code)}). Choose another with projectDir in ${loaded.file}.`,
      EXIT.environment,
      { cause: error },
    );
  }
}

interface Starting {
  /** Exit code of the started process; null while it runs. */
  readonly exitCode: () => number | null;
  readonly lastWords: () => string;
}

/**
 * An owner lives in bodies of calls that last a second: a roomy young generation keeps them out of the old one, which may grow by
 * four fifths before it is collected. Chosen by `npm run bench:overhead` for little collecting within 256 MB of heap and 600 MB
 * resident (docs/performance.md).
 */
const MEMORY_FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=80', '--v8-pool-size=1'];

/** An owner runs from the same files as this command: a bundle has it at its side. */
function ownerScript(): string {
  const bundled = join(dirname(fileURLToPath(import.meta.url)), 'worker.js');
  return existsSync(bundled) ? bundled : join(packageRoot(), 'dist', 'worker.js');
}

function startOwner(loaded: LoadedConfig, command: string, keep: boolean): Starting {
  const log = openLog(loaded);
  const args = [ownerScript(), '--project', loaded.projectFolder, '--command', command, ...(keep ? ['--keep'] : [])];
  const child = spawn(process.execPath, [...MEMORY_FLAGS, ...args], {
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    // glibc gives each thread a heap of its own and keeps what they free: 120 MB of a long build (docs/performance.md).
    env: { MALLOC_ARENA_MAX: '2', ...process.env },
  });
  closeSync(log.descriptor);
  let exitCode: number | null = null;
  child.once('exit', (code) => {
    exitCode = code ?? EXIT.internal;
  });
  child.unref();
  return {
    exitCode: () => exitCode,
    lastWords: () => lastWords(log.file, log.length) || `The owner ended at once; see ${log.file}.`,
  };
}

/** A live owner that answers now, which also keeps it from ending for want of clients; null when it ended meanwhile. */
async function attachAwake(projectFolder: string): Promise<OwnerClient | null> {
  const client = attach(projectFolder);
  if (client === null) return null;
  try {
    await client.call('ping');
    return client;
  } catch (error) {
    if (error instanceof OwnerGoneError) return null;
    throw error;
  }
}

/** Attaches to the owner of a project, starting one when none runs. The owner outlives this command while its work lasts. */
export async function attachOrStart(
  loaded: LoadedConfig,
  command: string,
  options: { readonly keep?: boolean } = {},
): Promise<OwnerClient> {
  const begun = Date.now();
  let starting: Starting | null = null;
  for (;;) {
    const client = await attachAwake(loaded.projectFolder);
    if (client !== null) return client;
    starting ??= startOwner(loaded, command, options.keep === true);
    const code = starting.exitCode();
    if (code !== null) {
      // Another owner holds the store but has not said so yet, or not any more: attach to it, or take its place.
      if (code !== STORE_IS_HELD || Date.now() - begun > PATIENCE_MS)
        throw new CliError(starting.lastWords(), code === 0 || code === STORE_IS_HELD ? EXIT.environment : code);
      starting = null;
    }
    if (Date.now() - begun > START_MS)
      throw new CliError(
        `The owner did not start within 60 s; see ${join(loaded.projectFolder, 'logs', 'owner-start.log')}.`,
        EXIT.environment,
      );
    await new Promise((resolve) => setTimeout(resolve, starting === null ? 500 : 40));
  }
}
