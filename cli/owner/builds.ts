import { randomBytes } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { readSpec, specFact } from '../../activities/read-spec.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import type { RunStateRow, Store } from '../../store/port.ts';
import type { buildDataset } from '../../workflows/build-dataset.ts';
import type { BuildProgress } from '../../workflows/types.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { latestRunFact } from '../queries/latest-run.ts';
import type { Engine } from './engine.ts';
import { sameWork } from './same-work.ts';
import type { WantedRun } from './same-work.ts';
import { buildWorkflowId, describeBuild, failureOf, progressOf, runningBuild, TemporalSilentError } from './workflow-handles.ts';

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
  start(wanted: WantedRun): Promise<BuildState>;
  state(label: string): Promise<BuildState | null>;
  pause(label: string): Promise<void>;
  /** Opens the gate; with `capUsd` the cap of the run is raised first, for good. */
  resume(label: string, capUsd: number | null): Promise<void>;
  /** Ends a build and asks for the end of its batches; gives a sentence for each batch. */
  cancel(label: string): Promise<readonly string[]>;
  /** True while a workflow runs that is not waiting for a person. */
  hasWork(): Promise<boolean>;
}

interface BuildDeps {
  readonly store: Store;
  readonly engine: Engine;
  /** What Temporal said of a running build last, by label: asking it costs more than the build's own bookkeeping. */
  readonly lately: Map<string, { readonly at: number; readonly runId: string; readonly progress: BuildProgress | null }>;
}

/** While the store says that a build runs, Temporal is asked about it at most this often. */
const ASK_TEMPORAL_EVERY_MS = 2000;

const CANCEL_WAIT_MS = 5000;

const ENDED: ReadonlySet<string> = new Set(['completed', 'dry', 'cancelled', 'failed']);

function newRunId(): string {
  return `${new Date().toISOString().replace(/[-:T]/g, '').slice(0, 14)}-${randomBytes(3).toString('hex')}`;
}

interface StoredState {
  readonly runId: string | null;
  readonly row: RunStateRow | null;
}

async function storedState(store: Store, label: string): Promise<StoredState> {
  const runId = await store.fact(latestRunFact(label));
  return { runId, row: runId === null ? null : await store.runState(runId) };
}

function settled({ runId, row }: StoredState, label: string): BuildState | null | undefined {
  if (runId === null) return null;
  if (row === null || !ENDED.has(row.state)) return undefined;
  return { runId, label, state: row.state, reason: row.reason, until: row.until, progress: null, isNew: false };
}

/** The state of a build that the store knows alone: null for none yet, or how it ended; undefined where Temporal must be asked. */
export async function settledState(store: Store, label: string): Promise<BuildState | null | undefined> {
  return settled(await storedState(store, label), label);
}

async function stateOf({ store, engine, lately }: BuildDeps, label: string): Promise<BuildState | null> {
  const stored = await storedState(store, label);
  const { runId, row } = stored;
  const end = settled(stored, label);
  if (end !== undefined || runId === null) return end ?? null;
  const base = { runId, label, reason: row?.reason ?? '', until: row?.until ?? null, progress: null, isNew: false };
  const full = engine.gates.stoppedByDisk(label);
  if (full !== null) return { ...base, state: 'paused', ...full };
  const known = lately.get(label);
  if (row?.state === 'running' && known?.runId === runId && Date.now() - known.at < ASK_TEMPORAL_EVERY_MS)
    return { ...base, state: row.state, progress: known.progress };
  const workflow = await describeBuild(engine, label).catch((error: unknown) => {
    if (error instanceof TemporalSilentError) return 'silent' as const;
    throw error;
  });
  if (workflow === 'silent') return heldState(engine, label, { ...base, state: row?.state ?? 'starting' });
  const isGone = workflow === null ? row !== null : !workflow.running && workflow.runId === runId;
  if (isGone) return recordEnd(store, engine, base, workflow);
  const progress = await progressOf(engine, label);
  lately.set(label, { at: Date.now(), runId, progress });
  return { ...base, state: row?.state ?? 'starting', progress };
}

/** While Temporal is silent a build stands where the store saw it last, or at its closed gate: a full disk stops Temporal too. */
function heldState(engine: Engine, label: string, last: BuildState): BuildState {
  const closed = engine.gates.closed(label);
  return closed === null ? last : { ...last, state: 'paused', ...closed };
}

/** A build whose workflow is gone without a last word has failed, and the store is told so: nothing shows it as running any more. */
async function recordEnd(
  store: Store,
  engine: Engine,
  base: Omit<BuildState, 'state'>,
  workflow: { readonly running: boolean } | null,
): Promise<BuildState> {
  const { runId, label } = base;
  const row = await store.runState(runId);
  if (row !== null && ENDED.has(row.state)) return { ...base, state: row.state, reason: row.reason, until: null };
  const reason =
    workflow === null
      ? 'Temporal knows no workflow of it (was its database deleted?); type `memcalib build`, which repays nothing'
      : await failureOf(engine, label);
  await store.putRunState({ runId, state: 'failed', reason, until: null, at: Date.now() });
  return { ...base, state: 'failed', reason, until: null };
}

async function launch({ store, engine }: BuildDeps, spec: RunSpec): Promise<void> {
  await Promise.all([store.putFact(specFact(spec.runId), JSON.stringify(spec)), store.putFact(latestRunFact(spec.label), spec.runId)]);
  await engine.workflows.start<typeof buildDataset>('buildDataset', {
    taskQueue: engine.taskQueue,
    workflowId: buildWorkflowId(engine.projectId, spec.label),
    args: [{ runId: spec.runId, label: spec.label, searchable: engine.searchable }],
    memo: { runId: spec.runId },
    ...(engine.searchable && { searchAttributes: { MemcalibRun: [spec.runId], MemcalibStage: ['prepare'] } }),
  });
}

/** A person's word wakes a workflow; its state says so at once, so that who follows it does not take the old stop for the new one. */
async function goOn({ store, engine }: BuildDeps, label: string, runId: string): Promise<void> {
  const handle = await runningBuild(engine, label);
  await store.putRunState({ runId, state: 'running', reason: '', until: null, at: Date.now() });
  await handle.signal('resume');
}

async function startBuild(deps: BuildDeps, wanted: WantedRun): Promise<BuildState> {
  const { store, engine } = deps;
  const { label } = wanted;
  const running = await describeBuild(engine, label);
  if (running?.running === true && running.runId !== '') {
    const spec = await readSpec(store, running.runId);
    if (!sameWork(spec, wanted)) {
      throw new CliError(
        `A build labelled ${label} with another configuration or other prompts is under way (run ${running.runId}). Type \`memcalib cancel\` to end it, or give this one a name of its own with --label.`,
        EXIT.usage,
      );
    }
    await store.putFact(latestRunFact(label), running.runId);
    if (wanted.allowUnknownLicence === true)
      await store.putFact(specFact(spec.runId), JSON.stringify({ ...spec, allowUnknownLicence: true }));
    if ((await store.runState(running.runId))?.state === 'waiting') await goOn(deps, label, running.runId);
    const state = await stateOf(deps, label);
    if (state !== null) return state;
  }
  // Asking for a new build is a person's word: what closed the gate of an earlier one (pause, budget) does not hold it back.
  if (engine.gates.closed(label) !== null) await engine.gates.open(label);
  const runId = newRunId();
  try {
    await launch(deps, { ...wanted, runId, startedAt: Date.now() });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return startBuild(deps, wanted);
  }
  return { runId, label, state: 'starting', reason: '', until: null, progress: null, isNew: true };
}

async function hasWork({ store, engine }: BuildDeps): Promise<boolean> {
  for (const { name } of await store.facts(latestRunFact(''))) {
    const label = name.slice(latestRunFact('').length);
    const workflow = await describeBuild(engine, label);
    if (workflow?.running !== true) continue;
    const row = await store.runState(workflow.runId);
    const waitsForPerson = (row?.state === 'paused' || row?.state === 'waiting') && row.until === null;
    if (!waitsForPerson) return true;
  }
  return false;
}

/** A cap at or below what is spent would pause the run at its next call: that is said instead. */
async function raiseCap({ store, engine }: BuildDeps, label: string, capUsd: number): Promise<void> {
  const runId = await store.fact(latestRunFact(label));
  if (runId === null) throw new CliError(`There is no build labelled ${label} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
  const spent = (await store.ledger.spent({ runId })).microUsd / 1_000_000;
  if (capUsd <= spent)
    throw new CliError(
      `Run ${runId} has spent $${spent.toFixed(2)} already, so a cap of $${capUsd} would stop it at once. Type \`memcalib resume --cap\` with more than that.`,
      EXIT.usage,
    );
  await engine.raiseCap(runId, capUsd);
}

/** The build service of an owner. */
export function createBuilds(parts: Pick<BuildDeps, 'store' | 'engine'>): Builds {
  const deps: BuildDeps = { ...parts, lately: new Map() };
  const { engine } = deps;
  return {
    start: (wanted) => startBuild(deps, wanted),
    state: (label) => stateOf(deps, label),
    pause: async (label) => {
      const handle = await runningBuild(engine, label);
      await engine.gates.close(label, 'person', 'paused by a person', null);
      await handle.signal('pause', 'paused by a person');
    },
    resume: async (label, capUsd) => {
      if (capUsd !== null) await raiseCap(deps, label, capUsd);
      await engine.gates.open(label);
      await engine.gates.open('*');
      await engine.resumed();
      const runId = await deps.store.fact(latestRunFact(label));
      await goOn(deps, label, runId ?? '');
    },
    cancel: async (label) => {
      const handle = await runningBuild(engine, label);
      await handle.cancel();
      // What waits for batches ends at once; what has calls in flight may take longer, and sends no batch any more.
      await Promise.race([handle.result().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, CANCEL_WAIT_MS))]);
      const runId = await deps.store.fact(latestRunFact(label));
      return runId === null ? [] : engine.cancelBatches(runId);
    },
    hasWork: () => hasWork(deps),
  };
}
