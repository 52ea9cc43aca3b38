import { ApplicationFailure, Context } from '@temporalio/activity';
import { hashOf } from '../schemas/hash.ts';
import type { BatchTurn } from '../llm/batch/desk.ts';
import type { ValidatorOf } from '../llm/batch/ingest.ts';
import type { Store } from '../store/port.ts';
import type { BuildActivities, StageResult } from '../workflows/types.ts';
import { isDiskFull, isUnknown, MOST_UNKNOWN_ERRORS, toFailure } from './failures.ts';
import type { Gates } from './gates.ts';
import { createLaunchPlanner } from './plan-launch.ts';
import { prepareBuild } from './prepare-build.ts';
import type { ModeProbe } from './prepare-build.ts';
import { tendBatches } from './tend-batches.ts';
import type { RunContexts } from './run-contexts.ts';
import { runStage } from './run-stage.ts';
import type { Paths } from './run-stage.ts';

/** Ports of all construction activities. */
export interface ActivityDeps {
  readonly store: Store;
  readonly contexts: RunContexts;
  readonly gates: Gates;
  readonly probeMode: ModeProbe;
  /** The owner's desk for batches. */
  readonly tendBatches: (runId: string, validatorOf: ValidatorOf, asked: boolean) => Promise<BatchTurn>;
  readonly clock: () => number;
  /** True once the owner is on its way out: work stops at the next step. */
  readonly isEnding: () => boolean;
}

/** Also how soon a cancel reaches an activity. */
const HEARTBEAT_MS = 2000;

function isShutdown(reason: unknown): boolean {
  return reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}

/**
 * Runs work while heartbeating; `stopped` turns true once the activity is cancelled or its owner ends. An owner that ends is no pause:
 * the result of stopped work is thrown away for a retryable failure, and the next owner takes the activity up again.
 */
async function heartbeating<T>(isEnding: () => boolean, work: (stopped: () => boolean) => Promise<T>): Promise<T> {
  const context = Context.current();
  let aborted = false;
  let stopSeen = false;
  context.cancellationSignal.addEventListener('abort', () => (aborted = true));
  const stopped = (): boolean => (stopSeen ||= aborted || isEnding());
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    const result = await work(stopped);
    if (stopSeen && (isEnding() || isShutdown(context.cancellationSignal.reason)))
      throw ApplicationFailure.retryable('the owner ended; its successor goes on', 'owner_ended');
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** Makes every error of an activity a Temporal failure with its code; `name` and arguments tell which work meets errors without one again. */
function guarded<Args extends readonly unknown[], T>(
  unknownErrors: Map<string, number>,
  name: string,
  work: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    const key = hashOf([name, args]);
    try {
      const result = await work(...args);
      unknownErrors.delete(key);
      return result;
    } catch (error) {
      const times = isUnknown(error) ? (unknownErrors.get(key) ?? 0) + 1 : 0;
      if (times >= MOST_UNKNOWN_ERRORS) unknownErrors.delete(key);
      else if (times > 0) unknownErrors.set(key, times);
      throw toFailure(error, times);
    }
  };
}

/** A full disk is a durable stop, not a failure: the gate closes and the chunk goes on from the store after `resume`. */
async function orPaused(gates: Gates, label: string, work: () => Promise<StageResult>): Promise<StageResult> {
  try {
    return await work();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    const reason = 'The disk is full; free some space, then type: memcalib resume.';
    await gates.close(label, 'disk', reason, null);
    return { kind: 'paused', reason, until: null };
  }
}

/** The activities of construction over one set of ports: read, pure decision or call, write. */
export function createActivities(deps: ActivityDeps): BuildActivities {
  const planner = createLaunchPlanner(deps);
  const paths: Paths = new Map();
  const busy = new Map<string, Promise<void>>();
  const unknownErrors = new Map<string, number>();
  return {
    prepareBuild: guarded(unknownErrors, 'prepareBuild', ({ runId }) => heartbeating(deps.isEnding, () => prepareBuild(deps, runId))),
    planLaunch: guarded(unknownErrors, 'planLaunch', ({ runId, inFlight }) => planner.plan(runId, inFlight)),
    runStage: guarded(unknownErrors, 'runStage', async ({ runId, chunk, stage }) => {
      const run = await deps.contexts.get(runId);
      return orPaused(deps.gates, run.spec.label, () =>
        heartbeating(deps.isEnding, (stopped) =>
          runStage(run, { store: deps.store, clock: deps.clock, paths, busy, stop: stopped, onProgress: () => undefined }, chunk, stage),
        ),
      );
    }),
    tendBatches: guarded(unknownErrors, 'tendBatches', async ({ runId, asked }) => {
      const run = await deps.contexts.get(runId);
      const closed = run.closed();
      if (closed !== null) return { kind: 'paused', ...closed };
      return heartbeating(deps.isEnding, () => tendBatches(run, deps, asked));
    }),
    recordState: guarded(unknownErrors, 'recordState', async ({ runId, state, reason, until, atGate }) => {
      if (atGate === true && (await deps.contexts.get(runId)).closed() === null) return;
      await deps.store.putRunState({ runId, state, reason, until, at: deps.clock() });
    }),
    checkGate: guarded(unknownErrors, 'checkGate', async ({ runId }) => {
      const run = await deps.contexts.get(runId);
      const closed = run.closed();
      return closed === null ? { closed: false, reason: '', until: null } : { closed: true, ...closed };
    }),
  };
}
