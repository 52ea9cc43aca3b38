import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure, proxyActivities } from '@temporalio/workflow';

/** What a run needs: the trainer's config (RunConfig as JSON), its last step, and how long a silent GPU worker is trusted. */
export interface TrainModelInput {
  readonly config: { readonly method: string; readonly run: { readonly folder: string } };
  readonly steps: number;
  readonly heartbeatTimeout: string;
  readonly scheduleToStartTimeout: string;
}

export interface TrainModelResult {
  readonly step: number;
  readonly weights_digest: string;
  readonly claims: number;
}

interface StepRequest {
  readonly config: TrainModelInput['config'];
  readonly step: number;
}

interface TrainerActivities {
  trainerClaim(): Promise<{ readonly queue: string }>;
  trainerRollout(request: StepRequest): Promise<{ readonly digest: string; readonly path: string }>;
  trainerUpdate(request: StepRequest & { readonly judgments: string | null }): Promise<{ readonly step: number; readonly weights_digest: string }>;
}

interface JudgeActivities {
  judgeRollout(request: { readonly rows: string; readonly step: number; readonly folder: string }): Promise<{ readonly path: string }>;
}

const GPU_QUEUE = 'memcalib-gpu';
const MAX_CLAIMS = 50;

const { trainerClaim } = proxyActivities<TrainerActivities>({ taskQueue: GPU_QUEUE, startToCloseTimeout: '10 s' });
const { judgeRollout } = proxyActivities<JudgeActivities>({ startToCloseTimeout: '1 h', heartbeatTimeout: '1 min' });

/** A worker that died, was stopped, or lets its queue wait: another one may be claimed, finished steps are in the run folder. */
function workerIsGone(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const cause = error.cause;
  if (cause instanceof TimeoutFailure || cause instanceof CancelledFailure) return true;
  return cause instanceof ApplicationFailure && cause.type === 'WorkerShutdown';
}

/** Drives a training run: per step one rollout, one judging, one update. Every part is safe to repeat. */
export async function trainModel(input: TrainModelInput): Promise<TrainModelResult> {
  let claims = 0;
  let gpu: { readonly worker: TrainerActivities } | undefined;

  // The proxy is wrapped in an object: returned bare from an async function, `await` would call its `then` as an activity.
  async function claim(): Promise<{ readonly worker: TrainerActivities }> {
    if (++claims > MAX_CLAIMS) throw ApplicationFailure.nonRetryable(`gave up after ${MAX_CLAIMS} GPU workers`, 'TooManyClaims');
    const { queue } = await trainerClaim();
    const worker = proxyActivities<TrainerActivities>({
      taskQueue: queue,
      startToCloseTimeout: '6 h',
      heartbeatTimeout: input.heartbeatTimeout as '30 s',
      scheduleToStartTimeout: input.scheduleToStartTimeout as '2 min',
      retry: { maximumAttempts: 1 },
    });
    return { worker };
  }

  async function onGpu<T>(call: (worker: TrainerActivities) => Promise<T>): Promise<T> {
    for (;;) {
      gpu ??= await claim();
      try {
        return await call(gpu.worker);
      } catch (error) {
        if (!workerIsGone(error)) throw error;
        gpu = undefined;
      }
    }
  }

  let last = { step: 0, weights_digest: '' };
  for (let step = 1; step <= input.steps; step++) {
    const request = { config: input.config, step };
    const rollout = await onGpu((worker) => worker.trainerRollout(request));
    const judged = input.config.method.startsWith('opsd')
      ? { path: null }
      : await judgeRollout({ rows: rollout.path, step, folder: input.config.run.folder });
    last = await onGpu((worker) => worker.trainerUpdate({ ...request, judgments: judged.path }));
  }
  return { ...last, claims };
}
