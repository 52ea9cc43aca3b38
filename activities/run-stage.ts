import { composeExample } from '../stages/compose.ts';
import { STAGES, STEPS, STEPS_OF_STAGE } from '../schemas/steps.ts';
import type { StageId, StepId } from '../schemas/steps.ts';
import type { Workpiece } from '../schemas/workpiece.ts';
import type { OutcomeRow, Store, StoredCandidate } from '../store/port.ts';
import type { ChunkRef, StageResult } from '../workflows/types.ts';
import { runStep } from './run-step.ts';
import type { StepEnd } from './run-step.ts';
import type { RunContext } from './run-context.ts';

/** Ports of a stage run. `stop` is looked at between steps: true once the activity is cancelled. */
export interface StageDeps {
  readonly store: Store;
  readonly clock: () => number;
  readonly stop: () => boolean;
  /** Called as candidates end, so that the caller can heartbeat and count. */
  readonly onProgress: (step: StepId, status: StepEnd['kind']) => void;
}

type CandidateEnd = 'alive' | 'done' | 'failed' | { readonly reason: string; readonly until: number | null };

const FINAL: ReadonlySet<string> = new Set(['accepted', 'rejected', 'failed', 'no_verdict']);

/** Candidates of a chunk that still lack a verdict under this pipeline. */
async function pendingOf(run: RunContext, store: Store, chunk: ChunkRef): Promise<readonly StoredCandidate[]> {
  const from = Math.min(...chunk.positions);
  const to = Math.max(...chunk.positions) + 1;
  const wanted = new Set(chunk.positions);
  const [candidates, outcomes] = await Promise.all([
    store.candidates(run.orderId, chunk.domain, from, to),
    store.outcomesAt(run.orderId, run.pipelineHash, chunk.domain, from, to),
  ]);
  const ended = new Set(outcomes.filter((item) => item.outcome !== null && FINAL.has(item.outcome.status)).map((item) => item.position));
  return candidates.filter((item) => wanted.has(item.candidate.position) && !ended.has(item.candidate.position));
}

function stepsUpTo(stage: StageId): readonly StepId[] {
  const last = STAGES.indexOf(stage);
  return STEPS.filter((step) => STAGES.findIndex((item) => STEPS_OF_STAGE[item].includes(step)) <= last);
}

function outcome(
  run: RunContext,
  item: StoredCandidate,
  step: StepId,
  callKeys: readonly string[],
  at: number,
  end: Pick<OutcomeRow, 'status' | 'reason' | 'detail' | 'query' | 'example'>,
): OutcomeRow {
  return {
    candidateId: item.candidate.id,
    pipelineHash: run.pipelineHash,
    rowHash: item.rowHash,
    step,
    callKeys,
    runId: run.runId,
    at,
    ...end,
  };
}

function finished(run: RunContext, item: StoredCandidate, workpiece: Workpiece, callKeys: readonly string[], at: number): OutcomeRow {
  const example = composeExample(workpiece);
  return outcome(run, item, 'review-calibration', callKeys, at, {
    status: 'accepted',
    reason: '',
    detail: '',
    query: example.question,
    example: JSON.stringify(example),
  });
}

async function advance(run: RunContext, deps: StageDeps, item: StoredCandidate, stage: StageId): Promise<CandidateEnd> {
  let workpiece: Workpiece = { seed: run.spec.config.seed, candidate: item.candidate };
  const callKeys: string[] = [];
  for (const stepId of stepsUpTo(stage)) {
    if (deps.stop()) return { reason: 'cancelled', until: null };
    const step = run.steps.get(stepId);
    if (step === undefined) throw new Error(`step ${stepId} is missing in the catalog`);
    const end = await runStep(run, step, workpiece, deps.clock);
    if (end.kind === 'paused') return { reason: end.reason, until: end.until };
    callKeys.push(...end.callKeys);
    deps.onProgress(stepId, end.kind);
    if (end.kind === 'accepted') {
      if (end.fresh !== null) await deps.store.putStepOutputs([end.fresh]);
      workpiece = end.workpiece;
      continue;
    }
    if (end.kind === 'rejected' && end.fresh !== null) await deps.store.putStepOutputs([end.fresh]);
    const reason = end.kind === 'rejected' ? end.reason : end.class;
    await deps.store.putOutcomes([
      outcome(run, item, stepId, callKeys, deps.clock(), { status: end.kind, reason, detail: end.detail, query: null, example: null }),
    ]);
    return end.kind === 'rejected' ? 'done' : 'failed';
  }
  if (stage !== STAGES.at(-1)) return 'alive';
  await deps.store.putOutcomes([finished(run, item, workpiece, callKeys, deps.clock())]);
  return 'done';
}

/**
 * One stage of one chunk: every candidate on its own, calls concurrent, each result committed as it arrives; what is stored is skipped.
 * A closed gate makes the stage `paused` once the calls in flight have landed.
 */
export async function runStage(run: RunContext, deps: StageDeps, chunk: ChunkRef, stage: StageId): Promise<StageResult> {
  const pending = await pendingOf(run, deps.store, chunk);
  const ends = await Promise.all(pending.map((item) => advance(run, deps, item, stage)));
  const paused = ends.find((end) => typeof end === 'object');
  if (paused !== undefined) return { kind: 'paused', reason: paused.reason, until: paused.until };
  return { kind: 'done', alive: ends.filter((end) => end === 'alive').length, failed: ends.filter((end) => end === 'failed').length };
}
