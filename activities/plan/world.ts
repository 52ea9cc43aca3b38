import type { RunSpec } from '../../schemas/run-spec.ts';
import type { StepId } from '../../schemas/steps.ts';
import type { RunRow, Store } from '../../store/port.ts';
import type { EnsuredOrder } from '../ensure-order.ts';
import { ensureOrder } from '../ensure-order.ts';
import { pipelineHash, prepareSteps } from '../prepare-steps.ts';
import type { FormatModes } from '../prepare-steps.ts';
import type { PreparedStep } from '../run-context.ts';
import { readPipelineParts, wasAsked } from '../step-versions.ts';
import type { PipelineParts } from '../step-versions.ts';
import { readSample } from './kept-sample.ts';
import type { Sample } from './kept-sample.ts';

/** An earlier pipeline whose outputs may still stand. */
export interface Baseline {
  readonly hash: string;
  /** Null when it was built before the parts of pipelines were kept. */
  readonly parts: PipelineParts | null;
}

/** Everything a plan is computed from: the pipeline as it would run now, its candidates, and what earlier builds left. */
export interface World {
  readonly store: Store;
  readonly spec: Pick<RunSpec, 'config' | 'baseDir' | 'label' | 'prompts' | 'rehearsal'>;
  readonly steps: ReadonlyMap<StepId, PreparedStep>;
  readonly pipelineHash: string;
  readonly order: EnsuredOrder;
  /** Earlier pipelines, the one to compare with first. */
  readonly baselines: readonly Baseline[];
  /** The run a person compares with: the latest of this label, else the latest of all. */
  readonly before: RunRow | null;
  /** Steps for which a verdict or a reply may be stored; the others need no look-up. */
  readonly mayBeStored: ReadonlySet<StepId>;
  /** Rows of this edit that were asked beforehand to measure it; null when none were. */
  readonly sample: Sample | null;
}

/** Pipelines looked back at for outputs that stand in for what an edit will change. */
const MOST_BASELINES = 4;

function asRunSpec(spec: World['spec']): RunSpec {
  return { ...spec, runId: 'plan', startedAt: 0 };
}

async function baselinesOf(store: Store, label: string, now: string): Promise<Pick<World, 'baselines' | 'before'>> {
  const runs = (await store.runs()).toReversed();
  const builds = runs.filter(({ kind }) => kind === 'build');
  const ofLabel = builds.filter((run) => run.label === label);
  const ordered = [...ofLabel, ...runs.filter((run) => run.label !== label)];
  const hashes = [...new Set(ordered.map((run) => run.pipelineHash))].filter((hash) => hash !== now).slice(0, MOST_BASELINES);
  const baselines = await Promise.all(hashes.map(async (hash) => ({ hash, parts: await readPipelineParts(store, hash) })));
  return { baselines, before: ofLabel[0] ?? builds[0] ?? null };
}

async function storedSteps(store: Store, steps: World['steps']): Promise<ReadonlySet<StepId>> {
  const inUse = await store.planning.versionsInUse();
  const found = await Promise.all([...steps.values()].map(async (step) => inUse.has(step.version) || (await wasAsked(store, step))));
  return new Set([...steps.keys()].filter((_, index) => found[index]));
}

/** Looks at the world as a build that started now would find it; reads the sources when they changed, and asks no model. */
export async function openWorld(
  deps: { readonly store: Store; readonly clock: () => number },
  spec: World['spec'],
  modes: FormatModes,
  options: { readonly restratify?: boolean } = {},
): Promise<World> {
  const { store } = deps;
  const steps = prepareSteps(asRunSpec(spec), modes);
  const hash = pipelineHash(asRunSpec(spec), steps);
  const order = await ensureOrder(deps, spec, options);
  const [earlier, mayBeStored, sample] = await Promise.all([
    baselinesOf(store, spec.label, hash),
    storedSteps(store, steps),
    readSample(store, { label: spec.label, pipelineHash: hash, orderId: order.id }),
  ]);
  return { store, spec, steps, pipelineHash: hash, order, mayBeStored, sample, ...earlier };
}
