import { existsSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowClient } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { loadGates } from '../../activities/gates.ts';
import type { Gates } from '../../activities/gates.ts';
import { createRunContexts } from '../../activities/run-contexts.ts';
import type { RunContexts } from '../../activities/run-contexts.ts';
import type { Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { latestRunFact } from '../queries/latest-run.ts';
import type { Logger } from '../log.ts';
import { packageRoot } from '../package-root.ts';
import { createModels } from './models.ts';
import type { RehearsalChild } from './rehearsal-child.ts';
import { endSuperseded } from './end-superseded.ts';
import { releaseOrphans } from './release-orphans.ts';
import type { TemporalServer } from './temporal-server.ts';
import { buildWorkflowId } from './workflow-handles.ts';

/** Temporal, the worker and what its activities share. */
export interface Engine {
  readonly workflows: WorkflowClient;
  readonly taskQueue: string;
  readonly projectId: string;
  readonly gates: Gates;
  readonly contexts: RunContexts;
  /** Whether the server knows our search attributes. */
  readonly searchable: boolean;
  /** A person resumed a build. */
  resumed(): Promise<void>;
  /** Raises the cap of a run for good. */
  raiseCap(runId: string, usd: number): Promise<void>;
  /** Asks for the end of the batches of a run; one sentence each for a person. */
  cancelBatches(runId: string): Promise<readonly string[]>;
  temporalPid(): number | null;
  onChildChange(listener: () => void): void;
  stop(): Promise<void>;
}

interface EngineOptions {
  readonly projectFolder: string;
  readonly store: Store;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
  readonly rehearsal: RehearsalChild;
  /** The embedded server as it starts; null for a server elsewhere. */
  readonly server: Promise<TemporalServer | null>;
}

const PROJECT_FACT = 'project-id';

async function projectIdOf(store: Store): Promise<string> {
  const known = await store.fact(PROJECT_FACT);
  if (known !== null) return known;
  const id = randomUUID().slice(0, 8);
  await store.putFact(PROJECT_FACT, id);
  return id;
}

async function labelsOf(store: Store): Promise<readonly string[]> {
  const prefix = latestRunFact('');
  return (await store.facts(prefix)).map(({ name }) => name.slice(prefix.length));
}

function installRuntime(log: Logger): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const error: unknown = meta?.['error'];
    log.warn(`temporal ${level.toLowerCase()}: ${message}${error instanceof Error ? `: ${error.message}` : ''}`);
  });
  Runtime.install({ logger, telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
}

async function connect(
  options: EngineOptions,
  server: TemporalServer | null,
): Promise<{
  readonly client: Client;
  readonly native: NativeConnection;
  readonly namespace: string;
  readonly close: () => Promise<void>;
}> {
  const external =
    server === null
      ? loadClientConnectConfig({
          overrideEnvVars: Object.fromEntries(
            Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
          ),
        })
      : null;
  const namespace = external?.namespace ?? 'default';
  const connectionOptions = external === null ? { address: server?.address ?? '' } : external.connectionOptions;
  try {
    const connection = await Connection.connect(connectionOptions);
    const native = await NativeConnection.connect(connectionOptions);
    return {
      client: new Client({ connection, namespace }),
      native,
      namespace,
      close: async () => void (await Promise.all([connection.close(), native.close()])),
    };
  } catch (error) {
    throw new CliError(
      `The Temporal server at ${connectionOptions.address ?? ''} could not be reached (${error instanceof Error ? error.message : String(error)}). Check TEMPORAL_ADDRESS, or unset it to use the embedded server.`,
      EXIT.environment,
      { cause: error },
    );
  }
}

async function knowsSearchAttributes(client: Client, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    return customAttributes?.['MemcalibRun'] !== undefined && customAttributes['MemcalibStage'] !== undefined;
  } catch {
    return false;
  }
}

/** Starts Temporal (embedded or external), the worker and its activities. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { store, log } = options;
  const bundle = join(packageRoot(), 'dist', 'workflow-bundle.js');
  if (!existsSync(bundle))
    throw new CliError(
      'The workflow bundle is missing. Type `node tools/setup.mjs` in the project folder, then the same command again.',
      EXIT.environment,
    );
  installRuntime(log);
  const labels = await labelsOf(store);
  const [server, gates, projectId] = await Promise.all([options.server, loadGates(store, labels, Date.now), projectIdOf(store)]);
  const listeners: (() => void)[] = [];
  server?.onRestart(() => {
    for (const listener of listeners) listener();
  });
  const { client, native, namespace, close } = await connect(options, server);
  const builds = (await labelsOf(store)).map((label) => ({ label, workflowId: buildWorkflowId(projectId, label) }));
  await endSuperseded(client, store, builds);
  await releaseOrphans(
    client,
    builds.map(({ workflowId }) => workflowId),
    log,
  );
  const { env, rehearsal, projectFolder } = options;
  const models = createModels({ store, gates, env, rehearsal, log, projectFolder });
  const contexts = createRunContexts({ store, gates, clientFor: (spec) => models.clientFor(spec) });
  const taskQueue = `memcalib-build-${projectId}`;
  let isEnding = false;
  const searchable = knowsSearchAttributes(client, namespace);
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    workflowBundle: { codePath: bundle },
    activities: {
      ...createActivities({
        store,
        contexts,
        gates,
        probeMode: models.probeMode,
        tendBatches: (...args) => models.tendBatches(...args),
        clock: Date.now,
        isEnding: () => isEnding,
      }),
    },
    maxConcurrentActivityTaskExecutions: 64,
    shutdownGraceTime: '30s',
    stickyQueueScheduleToStartTimeout: '2s',
    maxHeartbeatThrottleInterval: '2s',
  });
  const running = worker.run().catch((error: unknown) => log.warn(`the Temporal worker ended: ${String(error)}`));
  return {
    workflows: client.workflow,
    taskQueue,
    projectId,
    gates,
    contexts,
    searchable: await searchable,
    resumed: () => models.resumed(),
    raiseCap: (runId, usd) => models.raiseCap(runId, usd),
    cancelBatches: (runId) => models.cancelBatches(runId),
    temporalPid: () => server?.pid() ?? null,
    onChildChange: (listener) => void listeners.push(listener),
    stop: async () => {
      isEnding = true;
      // Before the worker is asked to end: a call that waits for an endpoint that is down would hold its activity for as long as that is.
      models.drain();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await models.close();
      await close();
    },
  };
}
