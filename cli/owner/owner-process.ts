import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../store/errors.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/port.ts';
import { CliError, STORE_IS_HELD } from '../cli-error.ts';
import { fileLogger } from '../log.ts';
import type { Logger } from '../log.ts';
import { closeToOthers, keepFilesPrivate } from '../private-files.ts';
import { processStart, readOwnerFile, removeOwnerFile, writeOwnerFile } from './owner-file.ts';
import { createRehearsalChild } from './rehearsal-child.ts';
import { startEmbeddedServer } from './temporal-server.ts';
import type { Builds } from './builds.ts';

/** What starts an owner: where its project lies, who asked for it, and whether it stays without work. */
export interface OwnerOptions {
  readonly projectFolder: string;
  readonly command: string;
  readonly keep: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** Without work and without an attached client an owner ends after this time. */
const IDLE_MS = 2500;
/** An owner whose Temporal could not be started says so to clients that come within this time. */
const FAILED_MS = 500;

function prepareFolder(folder: string): void {
  keepFilesPrivate();
  for (const name of ['', 'logs', 'exports', 'sources']) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  closeToOthers(folder);
}

/** An owner that is ending holds the store until its work has landed: wait for it this long. */
const PATIENCE_MS = 40_000;

async function openOnceFree(file: string): Promise<Store> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await openStore(file);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'locked' || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** While Temporal is being started again nobody can tell, so there may be work. */
async function mayHaveWork(builds: Builds, log: Logger): Promise<boolean> {
  try {
    return await builds.hasWork();
  } catch (error) {
    log.warn(`cannot tell whether work is under way: ${String(error)}`);
    return true;
  }
}

/** The one process that holds the store, the worker and the port of a project (DESIGN §2). Resolves when it has ended cleanly. */
export async function runOwner(options: OwnerOptions): Promise<void> {
  const { projectFolder } = options;
  const other = readOwnerFile(projectFolder);
  if (other !== null) {
    throw new CliError(
      `This project is held by pid ${other.pid} (\`${other.command}\`, since ${new Date(other.startedAt).toISOString()}). Type \`memcalib status\`, or end it with \`kill ${other.pid}\`.`,
      // The client attaches to that owner, or takes its place if it is just dying.
      STORE_IS_HELD,
    );
  }
  const closers: (() => Promise<unknown>)[] = [];
  try {
    await hold(options, closers);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Opens everything, serves until it is told to stop or has no work, and leaves what must be closed in `closers`, also when it fails half-way. */
async function hold({ projectFolder, command, keep, env }: OwnerOptions, closers: (() => Promise<unknown>)[]): Promise<void> {
  prepareFolder(projectFolder);
  const log = fileLogger(join(projectFolder, 'logs', 'owner.log'));
  const store = await openOnceFree(join(projectFolder, 'memcalib.duckdb'));
  closers.push(() => store.close());
  const rehearsal = createRehearsalChild({ projectFolder, log, env });
  closers.push(() => rehearsal.stop());
  const server = startEmbeddedServer({ folder: projectFolder, log, env });
  const served = server.catch(() => null);
  closers.push(async () => (await served)?.stop());
  const { startEngine, createBuilds, ownerCommands, startHttpApi } = await import('./serving.ts');
  // Questions are answered from the store while Temporal and the worker still start: a build is planned meanwhile.
  const engine = startEngine({ projectFolder, store, log, env, rehearsal, server });
  const started = engine.catch(() => null);
  closers.push(async () => (await started)?.stop());
  const work = engine.then((ready) => ({ engine: ready, builds: createBuilds({ store, engine: ready }) }));
  // Looked at below; a failure before that is no unhandled one.
  work.catch(() => undefined);
  const life = { lastSeen: Date.now(), requests: 0, stopping: false };
  const isIdle = (forMs: number): boolean => life.requests === 0 && Date.now() - life.lastSeen > forMs;
  const token = randomBytes(24).toString('base64url');
  const api = await startHttpApi({
    token,
    commands: ownerCommands({ store, work, env, stop: () => (life.stopping = true) }),
    onRequest: (step) => {
      life.lastSeen = Date.now();
      life.requests += step === 'begin' ? 1 : -1;
    },
    onFault: (name, error) => log.warn(`internal error in ${name}: ${error instanceof Error ? String(error.stack) : String(error)}`),
  });
  closers.push(() => api.close());
  const startedAt = Date.now();
  const announce = (temporalPid: number | null): void =>
    writeOwnerFile(projectFolder, {
      pid: process.pid,
      processStart: processStart(process.pid),
      startedAt,
      command,
      port: api.port,
      token,
      temporalPid,
      rehearsalPid: rehearsal.pid(),
    });
  announce(null);
  closers.push(() => Promise.resolve(removeOwnerFile(projectFolder)));
  closeToOthers(projectFolder);
  const stop = (): void => void (life.stopping = true);
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    const { engine: ready, builds } = await work;
    const announceAgain = (): void => announce(ready.temporalPid());
    announceAgain();
    ready.onChildChange(announceAgain);
    rehearsal.onChange(announceAgain);
    log.info(`owner ${process.pid} started for \`${command}\``);
    for (let askedAt = 0; !life.stopping;) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (keep || !isIdle(IDLE_MS) || Date.now() - askedAt < IDLE_MS) continue;
      askedAt = Date.now();
      // A request may come while the builds are looked at: then the owner stays.
      if (!(await mayHaveWork(builds, log)) && isIdle(IDLE_MS)) break;
    }
  } catch (error) {
    // Who asked for a build is told why there is none before the owner ends.
    while (!life.stopping && !isIdle(FAILED_MS)) await new Promise((resolve) => setTimeout(resolve, 50));
    throw error;
  }
  log.info(`owner ${process.pid} ends`);
}
