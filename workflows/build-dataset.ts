import {
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  isCancellation,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Domain } from '../schemas/levels.ts';
import { constructChunk } from './construct-chunk.ts';
import { pauseSignal, progressQuery, resumeSignal } from './messages.ts';
import { batching, bookkeeping, ingest } from './proxies.ts';
import type { BuildInput, BuildProgress, BuildResult, ChunkRef, ChunkResult, LaunchPlan } from './types.ts';

/** After so many chunks the workflow drains its children and continues as new, so that its history stays short. */
const CHUNKS_PER_RUN = 150;

/** The mutable state of one workflow run; durable because Temporal replays it. */
interface BuildState {
  state: BuildProgress['state'];
  reason: string;
  until: number | null;
  chunksDone: number;
  accepted: Readonly<Record<Domain, number>>;
  /** Set by a chunk that met a closed gate, or by a person. */
  pause: { readonly reason: string; readonly until: number | null } | null;
  resumed: boolean;
  /** Chunks that ended since the last look. */
  wake: boolean;
  readonly inFlight: Map<number, ChunkRef>;
  /** Chunks with candidates that wait for a batch: not in flight, and not to be started by the planner either. */
  readonly waiting: ChunkRef[];
  /** A person said to go on: what lies beside a file batch is taken as it is. */
  asked: boolean;
}

function newState(input: BuildInput): BuildState {
  return {
    state: 'starting',
    reason: '',
    until: null,
    chunksDone: input.chunksDone ?? 0,
    accepted: { health: 0, general: 0, coding: 0 },
    pause: null,
    resumed: false,
    wake: false,
    inFlight: new Map(),
    waiting: [],
    asked: false,
  };
}

function listen(build: BuildState): void {
  setHandler(resumeSignal, () => {
    build.resumed = true;
    build.asked = true;
    build.wake = true;
  });
  setHandler(pauseSignal, (reason) => {
    build.pause ??= { reason, until: null };
    build.resumed = false;
    build.wake = true;
  });
  setHandler(progressQuery, () => ({
    state: build.state,
    reason: build.reason,
    until: build.until,
    chunksDone: build.chunksDone,
    chunksInFlight: build.inFlight.size,
    accepted: build.accepted,
  }));
}

async function launch(build: BuildState, input: BuildInput, chunk: ChunkRef, ordinal: number): Promise<void> {
  build.inFlight.set(ordinal, chunk);
  const child = await startChild(constructChunk, {
    args: [{ runId: input.runId, chunk, searchable: input.searchable }],
    ...(input.searchable && { searchAttributes: { MemcalibRun: [input.runId] } }),
    workflowId: `${workflowInfo().workflowId}/${workflowInfo().runId.slice(0, 8)}/${ordinal}`,
  });
  void child.result().then(
    (result: ChunkResult) => {
      build.inFlight.delete(ordinal);
      build.chunksDone += 1;
      if (result.kind === 'done' && (result.batched ?? 0) > 0) build.waiting.push(chunk);
      if (result.kind === 'paused') build.pause ??= { reason: result.reason, until: result.until };
      build.wake = true;
    },
    (error: unknown) => {
      build.inFlight.delete(ordinal);
      build.pause ??= { reason: isCancellation(error) ? 'cancelled' : sentenceOf(error), until: null };
      build.wake = true;
    },
  );
}

/** Drains the children, records the stop, and waits for a person's resume or for the stated time. */
async function holdUntilResumed(build: BuildState, input: BuildInput): Promise<void> {
  build.state = 'draining';
  await condition(() => build.inFlight.size === 0);
  const gate = await bookkeeping.checkGate({ runId: input.runId });
  const stop = gate.closed ? gate : (build.pause ?? { reason: gate.reason, until: null });
  build.pause = null;
  if (gate.closed || !build.resumed) {
    build.state = 'paused';
    build.reason = stop.reason;
    build.until = stop.until;
    await bookkeeping.recordState({ runId: input.runId, state: 'paused', reason: stop.reason, until: stop.until, atGate: gate.closed });
    const resumed = (): boolean => build.resumed;
    if (stop.until === null) await condition(resumed);
    else await condition(resumed, Math.max(1000, stop.until - Date.now()));
  }
  build.resumed = false;
  build.reason = '';
  build.until = null;
  build.state = 'running';
  await bookkeeping.recordState({ runId: input.runId, state: 'running', reason: '', until: null });
}

/** What the innermost failure says: the sentence of the activity that met it. */
function sentenceOf(error: unknown): string {
  let inner: unknown = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return inner instanceof Error ? inner.message : String(inner);
}

function ended(plan: LaunchPlan): BuildResult | null {
  return plan.verdict === 'complete'
    ? { state: 'completed', accepted: plan.accepted }
    : plan.verdict === 'dry'
      ? { state: 'dry', accepted: plan.accepted }
      : null;
}

/** Looks at the batches once; waits by a timer, which outlives the owner, until there is something to look at again. */
async function tendBatches(build: BuildState, input: BuildInput): Promise<'relaunch' | 'look again'> {
  const asked = build.asked;
  build.asked = false;
  build.resumed = false;
  const turn = await batching.tendBatches({ runId: input.runId, asked });
  if (turn.kind === 'paused') {
    build.pause ??= { reason: turn.reason, until: turn.until };
    return 'look again';
  }
  const isWaiting = turn.kind === 'waiting';
  build.state = isWaiting ? 'waiting' : 'running';
  build.reason = isWaiting ? turn.sentence : '';
  build.until = isWaiting ? turn.until : null;
  await bookkeeping.recordState({ runId: input.runId, state: build.state, reason: build.reason, until: build.until });
  if (!isWaiting) return 'relaunch';
  await condition(() => build.wake, turn.pollAfterMs);
  return 'look again';
}

async function construct(build: BuildState, input: BuildInput): Promise<BuildResult> {
  await ingest.prepareBuild({ runId: input.runId });
  build.state = 'running';
  let launched = 0;
  for (;;) {
    if (build.pause !== null) {
      await holdUntilResumed(build, input);
      continue;
    }
    const draining = launched >= (input.chunksPerRun ?? CHUNKS_PER_RUN) || workflowInfo().continueAsNewSuggested;
    if (draining && build.inFlight.size === 0)
      return continueAsNew<(next: BuildInput) => Promise<BuildResult>>({ ...input, chunksDone: build.chunksDone });
    build.wake = false;
    if (!draining) {
      const plan = await bookkeeping.planLaunch({ runId: input.runId, inFlight: [...build.inFlight.values(), ...build.waiting] });
      build.accepted = plan.accepted;
      const end = ended(plan);
      if (end !== null && build.inFlight.size === 0 && build.waiting.length === 0) return end;
      for (const chunk of plan.launch) await launch(build, input, chunk, launched++);
      if (plan.verdict === 'stuck' && build.inFlight.size === 0) {
        build.pause = { reason: plan.reason, until: null };
        continue;
      }
      if (build.inFlight.size === 0 && build.waiting.length > 0) {
        if ((await tendBatches(build, input)) === 'relaunch')
          for (const chunk of build.waiting.splice(0)) await launch(build, input, chunk, launched++);
        continue;
      }
    }
    await condition(() => build.wake);
  }
}

/**
 * Builds a dataset to its exact target: keeps a window of chunks in flight, refills until each quota is met or its source is dry,
 * pauses durably, drains its children before it continues as new, ends cleanly on cancel, and records the sentence of a final error (DESIGN §4).
 */
export async function buildDataset(input: BuildInput): Promise<BuildResult> {
  const build = newState(input);
  listen(build);
  try {
    const result = await construct(build, input);
    build.state = 'finished';
    await bookkeeping.recordState({ runId: input.runId, state: result.state, reason: '', until: null });
    return result;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (!isCancellation(error)) {
      await bookkeeping.recordState({ runId: input.runId, state: 'failed', reason: sentenceOf(error), until: null });
      throw error;
    }
    build.state = 'cancelled';
    return await CancellationScope.nonCancellable(async () => {
      await condition(() => build.inFlight.size === 0, '2 minutes');
      await bookkeeping.recordState({ runId: input.runId, state: 'cancelled', reason: 'cancelled by a person', until: null });
      return { state: 'cancelled', accepted: build.accepted };
    });
  }
}
