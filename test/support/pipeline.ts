import { join, resolve } from 'node:path';
import { loadGates } from '../../activities/gates.ts';
import { createLaunchPlanner } from '../../activities/plan-launch.ts';
import { prepareBuild } from '../../activities/prepare-build.ts';
import { specFact } from '../../activities/read-spec.ts';
import { createRunContexts } from '../../activities/run-contexts.ts';
import { runStage } from '../../activities/run-stage.ts';
import type { StageDeps } from '../../activities/run-stage.ts';
import { checkConfig } from '../../cli/check-config.ts';
import { readPrompts } from '../../cli/prompt-files.ts';
import { latestRunFact } from '../../cli/queries/latest-run.ts';
import { systemClock } from '../../llm/clock.ts';
import { createModelClient } from '../../llm/ledger-client.ts';
import { createLimiter } from '../../llm/limiter.ts';
import { createEndpoint } from '../../llm/openai-client.ts';
import type { ConfigInput } from '../../schemas/config.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import { STAGES } from '../../schemas/steps.ts';
import type { Store } from '../../store/port.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RUN_ID = 'scripted';

/** Label of builds made by `buildInProcess`. */
export const SCRIPTED_LABEL = 'main';

async function freezeSpec(store: Store, config: ConfigInput): Promise<RunSpec> {
  const checked = checkConfig(config, 'the scripted config');
  const prompts = readPrompts({ file: join(ROOT, 'scripted'), baseDir: ROOT, projectFolder: '', config: checked });
  const spec: RunSpec = {
    runId: RUN_ID,
    label: SCRIPTED_LABEL,
    config: checked,
    baseDir: ROOT,
    rehearsal: checked.models === undefined,
    prompts,
    startedAt: 0,
  };
  await store.putFact(specFact(RUN_ID), JSON.stringify(spec));
  await store.putFact(latestRunFact(SCRIPTED_LABEL), RUN_ID);
  return spec;
}

/** The build of `buildDataset` without Temporal: the same activities over a real store and a real HTTP server, one chunk after another. */
export async function buildInProcess(store: Store, config: ConfigInput, url: string): Promise<'complete' | 'dry'> {
  const spec = await freezeSpec(store, config);
  const gates = await loadGates(store, [SCRIPTED_LABEL], () => 0);
  const endpoint = createEndpoint({ name: 'rehearsal', baseUrl: url, timeoutMs: 30_000, clock: systemClock });
  const client = createModelClient({
    ledger: store.ledger,
    providers: new Map([['rehearsal', { endpoint, limits: { concurrency: 16, startConcurrency: 16 } }]]),
    limiter: createLimiter(),
    priceOf: () => null,
    caps: () => ({}),
    gate: { state: () => ({ closed: false, reason: '', until: null }), close: () => Promise.resolve(), onChange: () => () => undefined },
    clock: systemClock,
  });
  const contexts = createRunContexts({ store, gates, clientFor: () => Promise.resolve(client) });
  await prepareBuild({ store, probeMode: () => Promise.resolve('json_schema'), clock: () => 0 }, RUN_ID);
  const run = await contexts.get(spec.runId);
  const planner = createLaunchPlanner({ store, contexts });
  const deps: StageDeps = {
    store,
    clock: () => 0,
    paths: new Map(),
    busy: new Map(),
    stop: () => false,
    onProgress: () => undefined,
  };
  try {
    for (;;) {
      const plan = await planner.plan(RUN_ID, []);
      if (plan.verdict === 'stuck') throw new Error(plan.reason);
      if (plan.verdict !== 'working') return plan.verdict;
      for (const chunk of plan.launch) for (const stage of STAGES) await runStage(run, deps, chunk, stage);
    }
  } finally {
    await client.close();
  }
}
