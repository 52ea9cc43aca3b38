import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { loadGates } from '../../activities/gates.ts';
import { keepSample } from '../../activities/plan/kept-sample.ts';
import { prepareBuild } from '../../activities/prepare-build.ts';
import { specFact } from '../../activities/read-spec.ts';
import { createRunContexts } from '../../activities/run-contexts.ts';
import { runStage } from '../../activities/run-stage.ts';
import type { StageDeps } from '../../activities/run-stage.ts';
import type { Config } from '../../schemas/config.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import { ROLES } from '../../schemas/steps.ts';
import type { Store } from '../../store/port.ts';
import type { ChunkRef, StageResult } from '../../workflows/types.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { LoadedConfig } from '../config-file.ts';
import { fileLogger } from '../log.ts';
import { createModels } from '../owner/models.ts';
import { createRehearsalChild } from '../owner/rehearsal-child.ts';

/** Rows under way at a time; the limits of the config hold for their calls. */
const AT_A_TIME = 64;

/** A row of the sample: where it stands in its order. */
export type SampledRow = Pick<ChunkRef, 'domain'> & { readonly position: number };

/** A drawn sample: the label it is planned for, all its rows, and those of them that must ask still. */
export interface Drawn {
  readonly label: string;
  readonly ids: readonly string[];
  readonly rows: readonly SampledRow[];
}

/** How asking a sample went; `stopped` says why it did not come to its end. */
export interface AskedSample {
  readonly calls: number;
  readonly microUsd: number;
  readonly unknownCalls: number;
  readonly failed: number;
  readonly stopped: string | null;
}

/** An id for the run of a sample: its calls, its cost and its cap are its own. */
export function newSampleRun(): string {
  return `sample-${new Date().toISOString().replace(/[-:T]/g, '').slice(0, 14)}-${randomBytes(3).toString('hex')}`;
}

/** The label of samples of a label: no person can give it, so a sample is never the latest build of any. */
export function sampleLabel(label: string): string {
  return `${label} (sample)`;
}

/** A sample is asked call by call, whatever the config says of batches: that changes no key, so the build reuses it. */
export function askedOnline(config: Config): Config {
  const { models } = config;
  if (models === undefined) return config;
  const byFile = ROLES.find((role) => models[role].mode === 'file');
  if (byFile !== undefined)
    throw new CliError(
      `models.${byFile} is answered by files, and a sample is asked call by call. Give it another mode in the config, or plan without --sample.`,
      EXIT.usage,
    );
  const { builder, reviewerA, reviewerB } = models;
  const mode = 'online' as const;
  return {
    ...config,
    models: { ...models, builder: { ...builder, mode }, reviewerA: { ...reviewerA, mode }, reviewerB: { ...reviewerB, mode } },
  };
}

async function drive(rows: readonly SampledRow[], ask: (row: SampledRow) => Promise<StageResult>): Promise<readonly StageResult[]> {
  const results: StageResult[] = [];
  const left = [...rows];
  const work = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const result = await ask(row);
      results.push(result);
      if (result.kind === 'paused') left.splice(0);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
}

/** Takes the rows of a sample through all steps, as a build would; every verdict is stored, so that nothing is asked twice. */
export async function askSample(
  store: Store,
  loaded: LoadedConfig,
  spec: RunSpec,
  sample: Drawn,
  onRow: (done: number) => void,
): Promise<AskedSample> {
  const { projectFolder } = loaded;
  const log = fileLogger(join(projectFolder, 'logs', 'plan-sample.log'));
  const gates = await loadGates(store, [spec.label], Date.now);
  // Asking for a sample is a person's word: a cap that stopped an earlier one does not hold this one back.
  if (gates.closed(spec.label) !== null) await gates.open(spec.label);
  const rehearsal = createRehearsalChild({ projectFolder, log, env: process.env });
  const models = createModels({ store, gates, env: process.env, rehearsal, log, projectFolder });
  const contexts = createRunContexts({ store, gates, clientFor: (of) => models.clientFor(of) });
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    models.drain();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const before = await store.ledger.spent({ runId: spec.runId });
  let results: readonly StageResult[];
  try {
    await store.putFact(specFact(spec.runId), JSON.stringify(spec));
    await prepareBuild({ store, probeMode: models.probeMode, clock: Date.now }, spec.runId, 'sample');
    const run = await contexts.get(spec.runId);
    await keepSample(
      store,
      { label: sample.label, pipelineHash: run.pipelineHash, orderId: run.orderId },
      { runId: spec.runId, ids: sample.ids },
    );
    const deps: StageDeps = {
      store,
      clock: Date.now,
      paths: new Map(),
      busy: new Map(),
      stop: () => isStopped,
      onProgress: () => undefined,
    };
    let done = 0;
    results = await drive(sample.rows, async ({ domain, position }) => {
      const result = await runStage(run, deps, { domain, positions: [position] }, 'quality');
      onRow((done += 1));
      return result;
    });
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    await models.close();
    await rehearsal.stop();
  }
  const paused = results.find((result) => result.kind === 'paused');
  const stopped = isStopped ? 'ended by a person' : paused?.kind === 'paused' ? paused.reason : null;
  const state = stopped === null ? 'completed' : 'cancelled';
  await store.putRunState({ runId: spec.runId, state, reason: stopped ?? '', until: null, at: Date.now() });
  const now = await store.ledger.spent({ runId: spec.runId });
  return {
    calls: now.calls - before.calls,
    microUsd: now.microUsd - before.microUsd,
    unknownCalls: now.unknownCalls - before.unknownCalls,
    failed: results.reduce((sum, result) => sum + (result.kind === 'done' ? result.failed : 0), 0),
    stopped,
  };
}
