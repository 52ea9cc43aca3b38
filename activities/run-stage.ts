import { planOf } from '../stages/block-plan.ts';
import { composeExample } from '../stages/compose.ts';
import type { FinishedExample } from '../schemas/finished-example.ts';
import { STAGES, STEPS, STEPS_OF_STAGE } from '../schemas/steps.ts';
import type { StageId, StepId } from '../schemas/steps.ts';
import type { Workpiece } from '../schemas/workpiece.ts';
import type { OutcomeRow, Store, StoredCandidate } from '../store/port.ts';
import type { ChunkRef, StageResult } from '../workflows/types.ts';
import { retriesOf } from './reopened.ts';
import { runStep } from './run-step.ts';
import type { StepEnd } from './run-step.ts';
import type { RunContext } from './run-context.ts';

/** Ports of a stage run. `stop` is looked at between steps: true once the activity is cancelled. */
export interface StageDeps {
  readonly store: Store;
  readonly clock: () => number;
  readonly paths: Paths;
  /** Candidates being worked on: an activity that Temporal retries while its first attempt still runs waits for it here. */
  readonly busy: Map<string, Promise<void>>;
  readonly stop: () => boolean;
  /** Called as candidates end, so that the caller can heartbeat and count. */
  readonly onProgress: (step: StepId, status: StepEnd['kind']) => void;
}

type CandidateEnd = 'alive' | 'done' | 'failed' | 'batched' | { readonly reason: string; readonly until: number | null };

const FINAL: ReadonlySet<string> = new Set(['accepted', 'rejected', 'failed', 'no_verdict']);

/** How often each step of a candidate was reopened because it gave no verdict. */
type Retries = ReadonlyMap<StepId, number>;

interface Pending {
  readonly item: StoredCandidate;
  readonly retries: Retries;
}

/** Candidates of a chunk that still lack a verdict under this pipeline. */
async function pendingOf(run: RunContext, store: Store, chunk: ChunkRef): Promise<readonly Pending[]> {
  const from = Math.min(...chunk.positions);
  const to = Math.max(...chunk.positions) + 1;
  const wanted = new Set(chunk.positions);
  const [candidates, outcomes] = await Promise.all([
    store.candidates(run.orderId, chunk.domain, from, to),
    store.outcomesAt(run.orderId, run.pipelineHash, chunk.domain, from, to),
  ]);
  const ended = new Set(outcomes.filter((item) => item.outcome !== null && FINAL.has(item.outcome.status)).map((item) => item.position));
  const retries = await retriesOf(store, run.pipelineHash, outcomes);
  return candidates
    .filter((item) => wanted.has(item.candidate.position) && !ended.has(item.candidate.position))
    .map((item) => ({ item, retries: retries.get(item.candidate.id) ?? new Map() }));
}

/** How far a candidate has come in this process: the next step, what it holds, and what led there. A cache; the store is the truth. */
interface Path {
  next: number;
  workpiece: Workpiece;
  readonly retries: Retries;
  readonly callKeys: string[];
  readonly trail: OutcomeRow['trail'][number][];
}

/** Paths of candidates that are under way or wait for a batch, by run. Ended and paused ones are removed. */
export type Paths = Map<string, Path>;

function lastStepOf(stage: StageId): number {
  return STEPS.indexOf(STEPS_OF_STAGE[stage].at(-1) ?? 'screen');
}

function outcome(
  run: RunContext,
  item: StoredCandidate,
  step: StepId,
  path: Path,
  at: number,
  end: Pick<OutcomeRow, 'status' | 'reason' | 'detail' | 'query' | 'example'>,
): OutcomeRow {
  const { callKeys, trail } = path;
  return {
    candidateId: item.candidate.id,
    pipelineHash: run.pipelineHash,
    rowHash: item.rowHash,
    step,
    callKeys,
    trail,
    runId: run.runId,
    at,
    ...end,
  };
}

function finished(run: RunContext, item: StoredCandidate, path: Path, at: number): OutcomeRow {
  const record = composeExample(path.workpiece);
  const example: FinishedExample = { record, densityLevel: planOf(path.workpiece).level };
  return outcome(run, item, 'review-calibration', path, at, {
    status: 'accepted',
    reason: '',
    detail: '',
    query: record.question,
    example: JSON.stringify(example),
  });
}

/** Takes one candidate through one step; null when it goes on, else how its way ended here. */
async function takeStep(run: RunContext, deps: StageDeps, item: StoredCandidate, path: Path): Promise<CandidateEnd | null> {
  const stepId = STEPS[path.next];
  const step = stepId === undefined ? undefined : run.steps.get(stepId);
  if (stepId === undefined || step === undefined) throw new Error(`step ${String(stepId)} is missing in the catalog`);
  const end = await runStep(run, step, path.workpiece, deps.clock, path.retries.get(stepId) ?? 0);
  if (end.kind === 'paused') return { reason: end.reason, until: end.until };
  if (end.kind === 'batched') return 'batched';
  path.callKeys.push(...end.callKeys);
  deps.onProgress(stepId, end.kind);
  if ((end.kind === 'accepted' || end.kind === 'rejected') && end.fresh !== null) await deps.store.putStepOutputs([end.fresh]);
  if (end.kind === 'accepted') {
    path.trail.push({ candidateId: item.candidate.id, step: stepId, stepVersion: step.version, inputHash: end.inputHash });
    path.workpiece = end.workpiece;
    path.next += 1;
    return null;
  }
  const reason = end.kind === 'rejected' ? end.reason : end.class;
  await deps.store.putOutcomes([
    outcome(run, item, stepId, path, deps.clock(), { status: end.kind, reason, detail: end.detail, query: null, example: null }),
  ]);
  return end.kind === 'rejected' ? 'done' : 'failed';
}

async function advance(run: RunContext, deps: StageDeps, { item, retries }: Pending, stage: StageId): Promise<CandidateEnd> {
  const key = `${run.runId} ${item.candidate.id}`;
  await deps.busy.get(key);
  const end = goOn(run, deps, { item, retries }, stage, key);
  const settled = end.then(
    () => undefined,
    () => undefined,
  );
  deps.busy.set(key, settled);
  try {
    return await end;
  } finally {
    if (deps.busy.get(key) === settled) deps.busy.delete(key);
  }
}

async function goOn(run: RunContext, deps: StageDeps, { item, retries }: Pending, stage: StageId, key: string): Promise<CandidateEnd> {
  const path = deps.paths.get(key) ?? {
    next: 0,
    workpiece: { seed: run.spec.config.seed, candidate: item.candidate },
    retries,
    callKeys: [],
    trail: [],
  };
  deps.paths.set(key, path);
  try {
    return await goOnAlong(run, deps, item, path, stage, key);
  } catch (error) {
    // A step whose end could not be written (a full disk) is done anew: what the path took from it must not count twice.
    deps.paths.delete(key);
    throw error;
  }
}

async function goOnAlong(
  run: RunContext,
  deps: StageDeps,
  item: StoredCandidate,
  path: Path,
  stage: StageId,
  key: string,
): Promise<CandidateEnd> {
  while (path.next <= lastStepOf(stage)) {
    const end = deps.stop() ? { reason: 'cancelled', until: null } : await takeStep(run, deps, item, path);
    if (end === null) continue;
    if (end !== 'batched') deps.paths.delete(key);
    return end;
  }
  if (stage !== STAGES.at(-1)) return 'alive';
  deps.paths.delete(key);
  await deps.store.putOutcomes([finished(run, item, path, deps.clock())]);
  return 'done';
}

/**
 * One stage of one chunk: every candidate on its own, calls concurrent, each result committed as it arrives; what is stored is skipped.
 * A closed gate makes the stage `paused` once the calls in flight have landed; candidates that wait for a batch are counted as `batched`.
 */
export async function runStage(run: RunContext, deps: StageDeps, chunk: ChunkRef, stage: StageId): Promise<StageResult> {
  const pending = await pendingOf(run, deps.store, chunk);
  const ends = await Promise.all(pending.map((item) => advance(run, deps, item, stage)));
  const paused = ends.find((end) => typeof end === 'object');
  if (paused !== undefined) return { kind: 'paused', reason: paused.reason, until: paused.until };
  const count = (kind: CandidateEnd): number => ends.filter((end) => end === kind).length;
  return { kind: 'done', alive: count('alive'), failed: count('failed'), batched: count('batched') };
}
