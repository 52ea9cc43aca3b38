import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { accessSync, constants } from 'node:fs';
import { Connection } from '@temporalio/client';
import type { Logger } from '../log.ts';
import { CliError } from '../cli-error.ts';
import { packageRoot } from '../package-root.ts';
import { startHeldChild } from './child-process.ts';
import type { HeldChild } from './child-process.ts';
import { freePort } from './free-port.ts';

/** The embedded Temporal dev server of a project: restarted on the same files and ports whenever it dies. */
export interface TemporalServer {
  readonly address: string;
  pid(): number;
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
    throw new CliError(`TEMPORAL_CLI_PATH=${named} is no program. Correct or unset it, then type the command again.`, 2);
  }
  const onPath = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
  return [...onPath, join(packageRoot(), '.cache', 'temporal', 'temporal')].find((path) => existsSync(path) && executable(path)) ?? null;
}

async function untilReady(address: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      return;
    } catch (error) {
      if (Date.now() > deadline)
        throw new CliError(
          `The Temporal server at ${address} did not answer within 30 s (${String(error).slice(0, 200)}). See logs/temporal.log in the project folder.`,
          4,
        );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Starts the dev server on a file database and waits until it answers. */
export async function startTemporalServer(options: {
  readonly program: string;
  readonly folder: string;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
}): Promise<TemporalServer> {
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
  let stopping = false;
  let child: HeldChild;
  const listeners: (() => void)[] = [];
  const launch = async (): Promise<void> => {
    child = await startHeldChild(options.program, args, join(options.folder, 'logs', 'temporal.log'), env);
    void child.exited.then(async (code) => {
      if (stopping) return;
      options.log.warn(`the Temporal server ended (code ${String(code)}); starting it again on the same files`);
      await launch();
      for (const listener of listeners) listener();
    });
  };
  await launch();
  await untilReady(`127.0.0.1:${port}`);
  return {
    address: `127.0.0.1:${port}`,
    pid: () => child.pid,
    onRestart: (listener) => void listeners.push(listener),
    stop: async () => {
      stopping = true;
      await child.stop();
    },
  };
}
