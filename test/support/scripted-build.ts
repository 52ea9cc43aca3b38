import { Context } from '@temporalio/activity';
import type { StageId } from '../../schemas/steps.ts';
import type { BatchesResult, BuildActivities, LaunchPlan, StageResult } from '../../workflows/types.ts';

type Hook = (position: number, stage: StageId) => StageResult | null | Promise<StageResult | null>;

/** Activities with a script instead of a store: `chunks` chunks of one candidate each, at most `window` in flight. */
export class ScriptedBuild {
  readonly chunks: number;
  readonly window: number;
  /** Positions that ended, in order, once per ending. */
  readonly ended: number[] = [];
  readonly states: string[] = [];
  readonly stages: string[] = [];
  peakInFlight = 0;
  /** Said while nothing else is left to do. */
  stuck = false;
  hook: Hook = () => null;
  /** What a look at the batches comes to. */
  batches: (asked: boolean) => BatchesResult = () => ({ kind: 'ready' });
  #running = 0;

  constructor(chunks: number, window: number) {
    this.chunks = chunks;
    this.window = window;
  }

  /** The activities of one build, as a worker takes them. */
  activities(): BuildActivities {
    return {
      prepareBuild: () => Promise.resolve(),
      planLaunch: ({ inFlight }) => Promise.resolve(this.#plan(new Set(inFlight.flatMap((chunk) => chunk.positions)))),
      runStage: ({ chunk, stage }) => this.#runStage(chunk.positions[0] ?? 0, stage),
      tendBatches: ({ asked }) => Promise.resolve(this.batches(asked)),
      recordState: ({ state, reason }) => {
        this.states.push(reason === '' ? state : `${state}: ${reason}`);
        return Promise.resolve();
      },
      checkGate: () => Promise.resolve({ closed: false, reason: '', until: null }),
    };
  }

  #plan(flying: ReadonlySet<number>): LaunchPlan {
    const open = Array.from({ length: this.chunks }, (_, position) => position).filter(
      (position) => !flying.has(position) && !this.ended.includes(position),
    );
    const launch = open.slice(0, this.window - flying.size).map((position) => ({ domain: 'health' as const, positions: [position] }));
    const accepted = { health: this.ended.length, general: 0, coding: 0 };
    if (this.stuck && flying.size === 0) return { launch: [], accepted, verdict: 'stuck', reason: 'one candidate failed' };
    const verdict = launch.length > 0 || flying.size > 0 ? 'working' : 'complete';
    return { launch: this.stuck ? [] : launch, accepted, verdict, reason: '' };
  }

  async #runStage(position: number, stage: StageId): Promise<StageResult> {
    this.#running += 1;
    this.peakInFlight = Math.max(this.peakInFlight, this.#running);
    this.stages.push(`${position} ${stage}`);
    try {
      const scripted = await this.hook(position, stage);
      if (scripted !== null) return scripted;
      if (stage === 'quality') this.ended.push(position);
      return { kind: 'done', alive: 1, failed: 0 };
    } finally {
      this.#running -= 1;
    }
  }
}

/** Heartbeats until the activity is cancelled, then ends as a stopped stage does. */
export async function untilCancelled(): Promise<StageResult> {
  const context = Context.current();
  while (!context.cancellationSignal.aborted) {
    context.heartbeat();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { kind: 'paused', reason: 'cancelled', until: null };
}
