import { join, resolve } from 'node:path';
import { loadGates } from '../../activities/gates.ts';
import type { Gates } from '../../activities/gates.ts';
import { createLaunchPlanner } from '../../activities/plan-launch.ts';
import { prepareBuild } from '../../activities/prepare-build.ts';
import { specFact } from '../../activities/read-spec.ts';
import { createRunContexts } from '../../activities/run-contexts.ts';
import { tendBatches } from '../../activities/tend-batches.ts';
import { runStage } from '../../activities/run-stage.ts';
import type { Paths } from '../../activities/run-stage.ts';
import { createModels } from '../../cli/owner/models.ts';
import type { Models } from '../../cli/owner/models.ts';
import { readPrompts } from '../../cli/prompt-files.ts';
import { latestRunFact } from '../../cli/queries/latest-run.ts';
import { Config } from '../../schemas/config.ts';
import type { ConfigInput } from '../../schemas/config.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import { STAGES } from '../../schemas/steps.ts';
import type { DuckDbStore } from '../../store/duckdb-store.ts';
import { openStore } from '../../store/open.ts';
import type { ChunkRef, LaunchPlan } from '../../workflows/types.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEMO = {
  meddialog: 'meddialog.jsonl',
  healthcaremagic: 'healthcaremagic.jsonl',
  ultrachat: 'ultrachat.json',
  oasst1: 'oasst1.jsonl',
  oasst2: 'oasst2.trees.jsonl',
  magicoder: 'magicoder.csv',
  apps: 'apps.jsonl',
  stackexchange: 'stackexchange.jsonl',
} as const;

/** A config over the demo rows whose three roles are answered at one endpoint; `over` replaces whole fields. */
export function demoConfig(baseUrl: string, over: Partial<ConfigInput> = {}): Config {
  const role = (model: string) => ({ provider: 'mock', model });
  return Config.parse({
    name: 'in-process',
    seed: 'in-process-1',
    target: { health: 500, general: 500, coding: 500 },
    sources: Object.entries(DEMO).map(([adapter, file]) => ({
      name: `demo-${adapter}`,
      adapter: adapter as keyof typeof DEMO,
      path: join(ROOT, 'datasets/demo/rows', file),
      licence: 'CC0-1.0',
    })),
    providers: { mock: { baseUrl, concurrency: 16, timeoutSeconds: 4, structuredOutput: 'json_schema' } },
    models: { builder: role('rehearsal'), reviewerA: role('rehearsal-a'), reviewerB: role('rehearsal-b') },
    construction: { chunkSize: 50, window: 4 },
    ...over,
  });
}

/** How a driven build stopped. */
export type BuildEnd =
  | { readonly kind: 'ended'; readonly verdict: Exclude<LaunchPlan['verdict'], 'working'>; readonly reason: string }
  | { readonly kind: 'paused'; readonly reason: string; readonly until: number | null }
  /** For batches that are out. */
  | { readonly kind: 'waiting'; readonly sentence: string; readonly forPerson: boolean };

/** A project opened in this process: real store, real gates, the owner's own wiring of models; only Temporal is left out. */
export interface InProcess {
  readonly store: DuckDbStore;
  readonly gates: Gates;
  readonly models: Models;
  readonly warnings: string[];
  readonly notices: string[];
  /** Runs a build of a label till it ends, gets stuck or pauses; call it again to go on with the same run. */
  drive(runId: string, label: string, config: Config, asked?: boolean): Promise<BuildEnd>;
  /** What `memcalib resume` does. */
  resume(label: string): Promise<void>;
  close(): Promise<void>;
}

async function freeze(store: DuckDbStore, runId: string, label: string, config: Config): Promise<void> {
  if ((await store.fact(specFact(runId))) !== null) return;
  const prompts = readPrompts({ config, file: 'memcalib.config.ts', baseDir: ROOT, projectFolder: '' });
  const spec: RunSpec = { runId, label, startedAt: Date.now(), config, baseDir: ROOT, rehearsal: false, prompts };
  await store.putFact(specFact(runId), JSON.stringify(spec));
  await store.putFact(latestRunFact(label), runId);
}

const NO_REHEARSAL = {
  url: () => Promise.reject(new Error('no rehearsal child here')),
  pid: () => null,
  onChange: () => undefined,
  stop: () => Promise.resolve(),
};

/** Opens (or opens again) the project in a folder. */
export async function openInProcess(folder: string, labels: readonly string[] = ['main']): Promise<InProcess> {
  const store = await openStore(join(folder, 'memcalib.duckdb'));
  const gates = await loadGates(store, labels, Date.now);
  const warnings: string[] = [];
  const notices: string[] = [];
  const log = { info: (message: string) => void notices.push(message), warn: (message: string) => void warnings.push(message) };
  const models = createModels({ store, gates, env: {}, rehearsal: NO_REHEARSAL, log, projectFolder: folder });
  const contexts = createRunContexts({ store, gates, clientFor: (spec) => models.clientFor(spec) });
  const planner = createLaunchPlanner({ store, contexts });
  const paths: Paths = new Map();
  const busy = new Map<string, Promise<void>>();

  const waiting: ChunkRef[] = [];
  const runChunk = async (runId: string, chunk: ChunkRef): Promise<Extract<BuildEnd, { kind: 'paused' }> | null> => {
    const run = await contexts.get(runId);
    const deps = { store, clock: Date.now, paths, busy, stop: () => false, onProgress: () => undefined };
    let batched = 0;
    for (const stage of STAGES) {
      const result = await runStage(run, deps, chunk, stage);
      if (result.kind === 'paused') return result;
      batched = result.batched ?? 0;
      if (result.alive === 0) break;
    }
    if (batched > 0) waiting.push(chunk);
    return null;
  };

  const drive = async (runId: string, label: string, config: Config, asked = false): Promise<BuildEnd> => {
    let word = asked;
    await freeze(store, runId, label, config);
    await prepareBuild({ store, probeMode: models.probeMode, clock: Date.now }, runId);
    const inFlight = new Map<ChunkRef, Promise<void>>();
    let pause: Extract<BuildEnd, { kind: 'paused' }> | null = null;
    for (;;) {
      const plan = pause === null ? await planner.plan(runId, [...inFlight.keys(), ...waiting]) : null;
      const launch = (chunks: readonly ChunkRef[]): void => {
        for (const chunk of chunks)
          inFlight.set(
            chunk,
            runChunk(runId, chunk).then((stopped) => {
              pause ??= stopped;
              inFlight.delete(chunk);
            }),
          );
      };
      launch(plan?.launch ?? []);
      if (pause === null && inFlight.size === 0 && waiting.length > 0) {
        const run = await contexts.get(runId);
        const turn = await tendBatches(run, { tendBatches: (...args) => models.tendBatches(...args), clock: Date.now }, word);
        word = false;
        if (turn.kind === 'waiting') return { kind: 'waiting', sentence: turn.sentence, forPerson: turn.until === null };
        if (turn.kind === 'paused') return turn;
        launch(waiting.splice(0));
      }
      if (inFlight.size > 0) await Promise.race(inFlight.values());
      else if (pause !== null) return pause;
      else if (plan !== null && plan.verdict !== 'working') return { kind: 'ended', verdict: plan.verdict, reason: plan.reason };
    }
  };
  return {
    store,
    gates,
    models,
    warnings,
    notices,
    drive,
    resume: async (label) => {
      await gates.open(label);
      await gates.open('*');
      await models.resumed();
    },
    close: async () => {
      await models.close();
      await store.close();
    },
  };
}
