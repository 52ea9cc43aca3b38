import { randomBytes } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { readSpec, specFact } from '../../activities/run-contexts.ts';
import { hashOf } from '../../schemas/hash.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import type { RunStateRow, Store } from '../../store/port.ts';
import type { buildDataset } from '../../workflows/build-dataset.ts';
import type { BuildProgress } from '../../workflows/types.ts';
import { latestRunFact } from '../queries/status.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Engine } from './engine.ts';

/** What a client is told about a build. */
export interface BuildState {
  readonly runId: string;
  readonly label: string;
  readonly state: RunStateRow['state'] | 'starting';
  readonly reason: string;
  readonly until: number | null;
  readonly progress: BuildProgress | null;
  /** False when an earlier build of this label was attached to. */
  readonly isNew: boolean;
}

/** Builds of a project: one workflow per label. */
export interface Builds {
  start(spec: Omit<RunSpec, 'runId' | 'startedAt'>): Promise<BuildState>;
  state(label: string): Promise<BuildState | null>;
  pause(label: string): Promise<void>;
  resume(label: string): Promise<BuildState>;
  cancel(label: string): Promise<void>;
  /** True while a workflow runs that is not waiting for a person. */
  hasWork(): Promise<boolean>;
}

function workflowId(engine: Engine, label: string): string {
  return `memcalib-${engine.projectId}-${label}`;
}

function sameWork(a: Omit<RunSpec, 'runId' | 'startedAt'>, b: Omit<RunSpec, 'runId' | 'startedAt'>): boolean {
  const work = ({ label, config, baseDir, prompts }: Omit<RunSpec, 'runId' | 'startedAt'>): unknown => ({
    label,
    config,
    baseDir,
    prompts,
  });
  return hashOf(work(a)) === hashOf(work(b));
}

/** The build service of an owner. */
export function createBuilds(deps: { readonly store: Store; readonly engine: Engine }): Builds {
  const { store, engine } = deps;
  const labels = new Map<string, string>();

  const describe = async (label: string): Promise<{ readonly running: boolean; readonly runId: string } | null> => {
    try {
      const handle = engine.workflows.getHandle(workflowId(engine, label));
      const description = await handle.describe();
      const runId = description.memo?.['runId'];
      return { running: description.status.name === 'RUNNING', runId: typeof runId === 'string' ? runId : '' };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  };

  const progressOf = async (label: string): Promise<BuildProgress | null> => {
    try {
      return await engine.workflows.getHandle(workflowId(engine, label)).query<BuildProgress>('progress');
    } catch {
      return null;
    }
  };

  const state = async (label: string): Promise<BuildState | null> => {
    const runId = labels.get(label) ?? (await describe(label))?.runId ?? (await store.latestRun(label))?.id;
    if (runId === undefined || runId === '') return null;
    labels.set(label, runId);
    const row = await store.runState(runId);
    if (row !== null && row.state !== 'running' && row.state !== 'paused')
      return { runId, label, state: row.state, reason: row.reason, until: row.until, progress: null, isNew: false };
    const workflow = await describe(label);
    if (workflow !== null && !workflow.running) {
      const reason = 'its workflow ended without a result; see logs/owner.log, then type `memcalib build` again';
      return { runId, label, state: 'failed', reason: await failureOf(label, reason), until: null, progress: null, isNew: false };
    }
    return {
      runId,
      label,
      state: row?.state ?? 'starting',
      reason: row?.reason ?? '',
      until: row?.until ?? null,
      progress: await progressOf(label),
      isNew: false,
    };
  };

  const failureOf = async (label: string, otherwise: string): Promise<string> => {
    try {
      await engine.workflows.getHandle(workflowId(engine, label)).result();
      return otherwise;
    } catch (error) {
      const causes: string[] = [];
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
      return causes.at(-1) ?? otherwise;
    }
  };

  const launch = async (spec: RunSpec): Promise<void> => {
    await store.putFact(specFact(spec.runId), JSON.stringify(spec));
    await store.putFact(latestRunFact(spec.label), spec.runId);
    await engine.workflows.start<typeof buildDataset>('buildDataset', {
      taskQueue: engine.taskQueue,
      workflowId: workflowId(engine, spec.label),
      args: [{ runId: spec.runId, label: spec.label, searchable: engine.searchable }],
      memo: { runId: spec.runId },
      ...(engine.searchable && { searchAttributes: { MemcalibRun: [spec.runId], MemcalibStage: ['prepare'] } }),
    });
    labels.set(spec.label, spec.runId);
  };

  const start = async (wanted: Omit<RunSpec, 'runId' | 'startedAt'>): Promise<BuildState> => {
    const running = await describe(wanted.label);
    if (running?.running === true && running.runId !== '') {
      const spec = await readSpec(store, running.runId);
      if (!sameWork(spec, wanted)) {
        throw new CliError(
          `A build labelled ${wanted.label} with another configuration or other prompts is under way (run ${running.runId}). Type \`memcalib cancel\` to end it, or give this one a name of its own with --label.`,
          EXIT.usage,
        );
      }
      labels.set(wanted.label, running.runId);
      return { ...((await state(wanted.label)) ?? missing(wanted.label)), isNew: false };
    }
    const runId = `${new Date().toISOString().replace(/[-:T]/g, '').slice(0, 14)}-${randomBytes(3).toString('hex')}`;
    try {
      await launch({ ...wanted, runId, startedAt: Date.now() });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return start(wanted);
    }
    return { runId, label: wanted.label, state: 'starting', reason: '', until: null, progress: null, isNew: true };
  };

  const missing = (label: string): never => {
    throw new CliError(`There is no build labelled ${label} in this project. Type \`memcalib build\` to start one.`, EXIT.usage);
  };

  const runningHandle = async (label: string): Promise<ReturnType<typeof engine.workflows.getHandle>> => {
    const workflow = await describe(label);
    if (workflow?.running !== true)
      throw new CliError(`No build labelled ${label} is under way. Type \`memcalib build\` to start or go on with one.`, EXIT.usage);
    return engine.workflows.getHandle(workflowId(engine, label));
  };

  return {
    start,
    state,
    pause: async (label) => {
      const handle = await runningHandle(label);
      await engine.gates.close(label, 'person', 'paused by a person', null);
      await handle.signal('pause', 'paused by a person');
    },
    resume: async (label) => {
      await engine.gates.open(label);
      await engine.gates.open('*');
      await engine.resumed();
      const handle = await runningHandle(label);
      await handle.signal('resume');
      return (await state(label)) ?? missing(label);
    },
    cancel: async (label) => {
      const handle = await runningHandle(label);
      await handle.cancel();
    },
    hasWork: async () => {
      for (const label of new Set([...labels.keys(), ...(await store.runs()).map((run) => run.label)])) {
        const workflow = await describe(label);
        if (workflow?.running !== true) continue;
        const row = await store.runState(workflow.runId);
        if (row?.state !== 'paused' || row.until !== null) return true;
      }
      return false;
    },
  };
}
