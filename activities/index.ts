import { Context } from '@temporalio/activity';
import type { Store } from '../store/port.ts';
import type { BuildActivities } from '../workflows/types.ts';
import { toFailure } from './failures.ts';
import type { Gates } from './gates.ts';
import { createLaunchPlanner } from './plan-launch.ts';
import { prepareBuild } from './prepare-build.ts';
import type { ModeProbe } from './prepare-build.ts';
import type { RunContexts } from './run-contexts.ts';
import { runStage } from './run-stage.ts';
import type { Paths } from './run-stage.ts';

/** Ports of all construction activities. */
export interface ActivityDeps {
  readonly store: Store;
  readonly contexts: RunContexts;
  readonly gates: Gates;
  readonly probeMode: ModeProbe;
  readonly clock: () => number;
}

const HEARTBEAT_MS = 5000;

/** Runs work while heartbeating; `stopped` turns true once the activity is cancelled or its worker shuts down. */
async function heartbeating<T>(work: (stopped: () => boolean) => Promise<T>): Promise<T> {
  const context = Context.current();
  let stopped = false;
  context.cancellationSignal.addEventListener('abort', () => (stopped = true));
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work(() => stopped);
  } finally {
    clearInterval(timer);
  }
}

/** Makes every error of an activity a Temporal failure with its code. */
function guarded<Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  return async (...args) => {
    try {
      return await work(...args);
    } catch (error) {
      throw toFailure(error);
    }
  };
}

/** The activities of construction over one set of ports: read, pure decision or call, write. */
export function createActivities(deps: ActivityDeps): BuildActivities {
  const planner = createLaunchPlanner(deps);
  const paths: Paths = new Map();
  return {
    prepareBuild: guarded(({ runId }) => heartbeating(() => prepareBuild(deps, runId))),
    planLaunch: guarded(({ runId, inFlight }) => planner.plan(runId, inFlight)),
    runStage: guarded(async ({ runId, chunk, stage }) => {
      const run = await deps.contexts.get(runId);
      return heartbeating((stopped) =>
        runStage(run, { store: deps.store, clock: deps.clock, paths, stop: stopped, onProgress: () => undefined }, chunk, stage),
      );
    }),
    recordState: guarded(({ runId, state, reason, until }) => deps.store.putRunState({ runId, state, reason, until, at: deps.clock() })),
    checkGate: guarded(async ({ runId }) => {
      const run = await deps.contexts.get(runId);
      const closed = run.closed();
      return closed === null ? { closed: false, reason: '', until: null } : { closed: true, ...closed };
    }),
  };
}
