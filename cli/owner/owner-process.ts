import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../store/open.ts';
import { EXIT, CliError } from '../cli-error.ts';
import { fileLogger } from '../log.ts';
import { startHttpApi } from './http-api.ts';
import { ownerCommands } from './owner-commands.ts';
import { processStart, readOwnerFile, removeOwnerFile, writeOwnerFile } from './owner-file.ts';
import { createRehearsalChild } from './rehearsal-child.ts';
import { createBuilds } from './builds.ts';
import { startEngine } from './engine.ts';

/** What starts an owner: where its project lies, who asked for it, and whether it stays without work. */
export interface OwnerOptions {
  readonly projectFolder: string;
  readonly command: string;
  readonly keep: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** Without work and without an attached client an owner ends after this time. */
const IDLE_MS = 2500;

function prepareFolder(folder: string): void {
  for (const name of ['', 'logs', 'exports', 'sources']) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** The one process that holds the store, the worker and the port of a project (DESIGN §2). Resolves when it has ended cleanly. */
export async function runOwner(options: OwnerOptions): Promise<void> {
  const { projectFolder } = options;
  const other = readOwnerFile(projectFolder);
  if (other !== null) {
    throw new CliError(
      `This project is held by pid ${other.pid} (\`${other.command}\`, since ${new Date(other.startedAt).toISOString()}). Type \`memcalib status\`, or end it with \`kill ${other.pid}\`.`,
      EXIT.environment,
    );
  }
  prepareFolder(projectFolder);
  const log = fileLogger(join(projectFolder, 'logs', 'owner.log'));
  const store = await openStore(join(projectFolder, 'memcalib.duckdb'));
  const rehearsal = createRehearsalChild({ projectFolder, log, env: options.env });
  const engine = await startEngine({ projectFolder, store, log, env: options.env, rehearsal });
  const builds = createBuilds({ store, engine });
  const life = { lastSeen: Date.now(), stopping: false };
  const token = randomBytes(24).toString('base64url');
  const api = await startHttpApi({
    token,
    commands: ownerCommands({ store, builds, engine, stop: () => (life.stopping = true) }),
    onRequest: () => (life.lastSeen = Date.now()),
  });
  const announce = (): void =>
    writeOwnerFile(projectFolder, {
      pid: process.pid,
      processStart: processStart(process.pid),
      startedAt: Date.now(),
      command: options.command,
      port: api.port,
      token,
      temporalPid: engine.temporalPid(),
      rehearsalPid: rehearsal.pid(),
    });
  announce();
  engine.onChildChange(announce);
  rehearsal.onChange(announce);
  log.info(`owner ${process.pid} started for \`${options.command}\``);
  const stop = (): void => void (life.stopping = true);
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  while (!life.stopping) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (!options.keep && Date.now() - life.lastSeen > IDLE_MS && !(await builds.hasWork())) break;
  }
  removeOwnerFile(projectFolder);
  await api.close();
  await engine.stop();
  await rehearsal.stop();
  await store.close();
  log.info(`owner ${process.pid} ended`);
}
