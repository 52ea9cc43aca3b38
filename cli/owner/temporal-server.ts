import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { accessSync, constants } from 'node:fs';
import type { Logger } from '../log.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { packageRoot } from '../package-root.ts';
import { startHeldChild } from './child-process.ts';
import type { HeldChild } from './child-process.ts';
import { freePort } from './free-port.ts';
import { keepAlive } from './keep-alive.ts';

/** The embedded Temporal dev server of a project: restarted on the same files and ports whenever it dies. */
export interface TemporalServer {
  readonly address: string;
  /** Null while it is being started again. */
  pid(): number | null;
  onRestart(listener: () => void): void;
  stop(): Promise<void>;
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Temporal program in the order TEMPORAL_CLI_PATH, PATH, project cache; null when there is none (DESIGN §9). */
export function findTemporalProgram(env: NodeJS.ProcessEnv): string | null {
  const named = env['TEMPORAL_CLI_PATH'];
  if (named !== undefined && named !== '') {
    if (executable(named)) return named;
    throw new CliError(`TEMPORAL_CLI_PATH=${named} is no program. Correct or unset it, then type the command again.`, EXIT.environment);
  }
  const onPath = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
  return [...onPath, join(packageRoot(), '.cache', 'temporal', 'temporal')].find((path) => existsSync(path) && executable(path)) ?? null;
}

async function untilReady(address: string, ended: () => CliError | null): Promise<void> {
  const deadline = Date.now() + 30_000;
  // Loaded here and not above: the program starts while the client is being read.
  const { Connection } = await import('@temporalio/client');
  for (;;) {
    const end = ended();
    if (end !== null) throw end;
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      return;
    } catch (error) {
      if (Date.now() > deadline)
        throw new CliError(
          `The Temporal server at ${address} did not answer within 30 s (${String(error).slice(0, 200)}). See logs/temporal.log in the project folder.`,
          EXIT.environment,
        );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The program ended before it answered. */
class EndedAtOnceError extends CliError {}

/** The sentence for a program that ended before it answered: what it said last, and what to try. */
function endedAtOnce(options: { readonly program: string; readonly folder: string }, code: number | null): EndedAtOnceError {
  const file = join(options.folder, 'logs', 'temporal.log');
  const words = existsSync(file) ? (readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '').slice(0, 200) : '';
  return new EndedAtOnceError(
    `The Temporal server ${options.program} ended as it started (code ${String(code)}${words === '' ? '' : `: ${words}`}). Check TEMPORAL_CLI_PATH and ${file}; if ${join(options.folder, 'temporal.db')} is damaged, delete it (nothing is lost), then type the command again.`,
    EXIT.environment,
  );
}

interface ServerOptions {
  readonly program: string;
  readonly folder: string;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts the dev server on a file database and waits until it answers; once more on other ports when it ends at once, for one may have been taken meanwhile. */
export async function startTemporalServer(options: ServerOptions): Promise<TemporalServer> {
  try {
    return await startOnPorts(options);
  } catch (error) {
    if (!(error instanceof EndedAtOnceError)) throw error;
    options.log.warn(`${error.message} Trying once more on other ports.`);
    return startOnPorts(options);
  }
}

async function startOnPorts(options: ServerOptions): Promise<TemporalServer> {
  const [port, httpPort, metricsPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const args = [
    'server',
    'start-dev',
    '--headless',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--http-port',
    String(httpPort),
    '--metrics-port',
    String(metricsPort),
  ];
  args.push(
    '--db-filename',
    join(options.folder, 'temporal.db'),
    '--sqlite-pragma',
    'journal_mode=wal',
    '--sqlite-pragma',
    'synchronous=normal',
    '--log-level',
    'error',
  );
  args.push(
    '--search-attribute',
    'MemcalibRun=Keyword',
    '--search-attribute',
    'MemcalibStage=Keyword',
    '--dynamic-config-value',
    'limit.blobSize.error=4194304',
  );
  args.push('--dynamic-config-value', 'frontend.WorkerHeartbeatsEnabled=false');
  const env = { PATH: options.env['PATH'], HOME: options.env['HOME'], TMPDIR: options.env['TMPDIR'] };
  const start = (): Promise<HeldChild> => startHeldChild(options.program, args, join(options.folder, 'logs', 'temporal.log'), env);
  const first = await start();
  let failure: CliError | null = null;
  void first.exited.then((code) => (failure = endedAtOnce(options, code)));
  try {
    await untilReady(`127.0.0.1:${port}`, () => failure);
  } catch (error) {
    await first.stop();
    throw error;
  }
  let ready: HeldChild | null = first;
  const child = await keepAlive('the Temporal server', options.log, () => {
    const given = ready;
    ready = null;
    return given === null ? start() : Promise.resolve(given);
  });
  return {
    address: `127.0.0.1:${port}`,
    pid: () => child.pid(),
    onRestart: (listener) => child.onRestart(listener),
    stop: () => child.stop(),
  };
}

/** The server a project is to use: its own, started now, or null when TEMPORAL_ADDRESS names another. */
export async function startEmbeddedServer(options: {
  readonly folder: string;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
}): Promise<TemporalServer | null> {
  const { env } = options;
  if (env['TEMPORAL_ADDRESS'] !== undefined && env['TEMPORAL_ADDRESS'] !== '') return null;
  const program = findTemporalProgram(env);
  if (program === null) {
    throw new CliError(
      'There is no Temporal program on this machine. Type `node tools/setup.mjs` to fetch it, or set TEMPORAL_CLI_PATH to one, or TEMPORAL_ADDRESS to a running server.',
      EXIT.environment,
    );
  }
  return startTemporalServer({ program, ...options });
}
