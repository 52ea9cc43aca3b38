import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT } from './cli-error.ts';
import type { LoadedConfig } from './config-file.ts';
import { readOwnerFile } from './owner/owner-file.ts';
import type { OwnerFile } from './owner/owner-file.ts';
import { packageRoot } from './package-root.ts';

/** An attached owner: sends commands over its loopback API. */
export interface OwnerClient {
  readonly owner: OwnerFile;
  call(command: string, args?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The owner ended between reading its file and its answer; nothing is lost. */
export class OwnerGoneError extends CliError {}

async function post(owner: OwnerFile, command: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`http://127.0.0.1:${owner.port}/api/${command}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
      redirect: 'error',
    });
  } catch (error) {
    throw new OwnerGoneError(
      `The owner (pid ${owner.pid}) ended while this command talked to it. Nothing is lost: type the same command again.`,
      EXIT.unfinished,
      { cause: error },
    );
  }
  const body = (await response.json()) as { readonly value?: unknown; readonly error?: string; readonly exitCode?: number };
  if (!response.ok) throw new CliError(body.error ?? `The owner answered ${response.status}.`, body.exitCode ?? EXIT.internal);
  return body.value;
}

/** Attaches to the live owner of a project; null when none runs. */
export function attach(projectFolder: string): OwnerClient | null {
  const owner = readOwnerFile(projectFolder);
  return owner === null ? null : { owner, call: (command, args = {}) => post(owner, command, args) };
}

function lastWords(file: string, from: number): string {
  if (!existsSync(file)) return '';
  return readFileSync(file, 'utf8').slice(from).trim().split('\n').at(-1) ?? '';
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
  const existing = await attachAwake(loaded.projectFolder);
  if (existing !== null) return existing;
  const logs = join(loaded.projectFolder, 'logs');
  try {
    mkdirSync(logs, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(
      `The project folder ${loaded.projectFolder} cannot be written (${String((error as NodeJS.ErrnoException).code)}). Choose another with projectDir in ${loaded.file}.`,
      EXIT.environment,
      { cause: error },
    );
  }
  const logFile = join(logs, 'owner-start.log');
  const log = openSync(logFile, 'a', 0o600);
  const before = readFileSync(logFile, 'utf8').length;
  const args = [
    join(packageRoot(), 'dist', 'worker.js'),
    '--project',
    loaded.projectFolder,
    '--command',
    command,
    ...(options.keep === true ? ['--keep'] : []),
  ];
  const child = spawn(process.execPath, ['--max-semi-space-size=32', ...args], { detached: true, stdio: ['ignore', log, log] });
  let exitCode: number | null = null;
  child.once('exit', (code) => {
    exitCode = code ?? EXIT.internal;
  });
  child.unref();
  const deadline = Date.now() + 60_000;
  for (;;) {
    const client = attach(loaded.projectFolder);
    if (client !== null) return client;
    if (exitCode !== null)
      throw new CliError(
        lastWords(logFile, before) || `The owner ended at once; see ${logFile}.`,
        exitCode === 0 ? EXIT.environment : exitCode,
      );
    if (Date.now() > deadline) throw new CliError(`The owner did not start within 60 s; see ${logFile}.`, EXIT.environment);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
