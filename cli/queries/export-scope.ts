import { domainSize, foldStored, outcomePages } from '../../activities/fold-stored.ts';
import type { FoldScope, StoredFold } from '../../activities/fold-stored.ts';
import { isSettled } from '../../activities/kept-fold.ts';
import { readPipelineParts } from '../../activities/step-versions.ts';
import { DOMAINS } from '../../schemas/domains.ts';
import type { FinishedExample } from '../../schemas/finished-example.ts';
import { STEPS } from '../../schemas/steps.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import type { MixedPart } from '../../stages/card.ts';
import type { RunRow, Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';

/** Which examples an export takes: those the fold keeps, and the pipeline that made each. */
export interface ExportScope {
  readonly scope: FoldScope;
  readonly fold: StoredFold;
  /** The pipelines its examples are of, the build's own first. */
  readonly pipelines: readonly string[];
  readonly pipelineOf: (id: string) => string;
  /** Examples by pipeline, when earlier ones have a part in it; else empty. */
  readonly mixed: readonly MixedPart[];
}

/** A finished example with the calls and the pipeline that made it. */
export interface Finished {
  readonly example: FinishedExample;
  readonly callKeys: readonly string[];
  readonly pipelineHash: string;
}

interface Wanted {
  readonly label: string;
  readonly partial: boolean;
  readonly allowMixed: boolean;
}

/** Examples read at a time: nothing holds a whole run. */
const PAGE = 200;

/** Pipelines that earlier builds of a label had, the latest first: their examples stand where this build has not come to yet. */
export async function earlierPipelines(store: Store, run: Pick<RunRow, 'label' | 'pipelineHash'>): Promise<readonly string[]> {
  const builds = (await store.runs()).filter(({ label, kind }) => label === run.label && kind === 'build').toReversed();
  return [...new Set(builds.map(({ pipelineHash }) => pipelineHash))].filter((hash) => hash !== run.pipelineHash);
}

async function pipelinesOfKept(store: Store, scope: FoldScope, fold: StoredFold): Promise<ReadonlyMap<string, string>> {
  const kept = new Set(fold.kept);
  const found = new Map<string, string>();
  for (const domain of DOMAINS)
    for await (const page of outcomePages(store, scope, domain, await domainSize(store, scope.orderId, domain)))
      for (const { candidateId, outcome } of page)
        if (outcome !== null && kept.has(candidateId)) found.set(candidateId, outcome.pipelineHash);
  return found;
}

async function differingSteps(store: Store, own: string, other: string): Promise<MixedPart['differs']> {
  const [a, b] = await Promise.all([readPipelineParts(store, own), readPipelineParts(store, other)]);
  return a === null || b === null ? null : STEPS.filter((step) => a.steps[step] !== b.steps[step]);
}

async function mixedScope(store: Store, run: RunRow, spec: RunSpec, earlier: readonly string[]): Promise<ExportScope> {
  const scope = { orderId: run.orderId, pipelineHash: run.pipelineHash, earlier };
  const fold = await foldStored(store, scope, spec.config);
  const made = await pipelinesOfKept(store, scope, fold);
  const count = (hash: string): number => [...made.values()].filter((found) => found === hash).length;
  const others = earlier.filter((hash) => count(hash) > 0);
  const pipelines = [run.pipelineHash, ...others];
  const parts = await Promise.all(
    pipelines.map(async (pipelineHash) => ({
      pipelineHash,
      examples: count(pipelineHash),
      differs: await differingSteps(store, run.pipelineHash, pipelineHash),
    })),
  );
  return { scope, fold, pipelines, pipelineOf: (id) => made.get(id) ?? run.pipelineHash, mixed: others.length === 0 ? [] : parts };
}

/** How much of a dataset each pipeline made, for a person. */
function shares({ mixed }: ExportScope): string {
  const [own, ...others] = mixed;
  const rest = others.map(({ pipelineHash, examples }) => `${examples} under ${pipelineHash.slice(0, 8)}`).join(', ');
  return `${own?.examples ?? 0} of its examples were made by its own pipeline (${own?.pipelineHash.slice(0, 8) ?? ''}) and the others still by earlier ones (${rest})`;
}

function refuse(wanted: Wanted, state: string, fold: StoredFold, mix: ExportScope): never {
  const { label } = wanted;
  if (mix.mixed.length > 0)
    throw new CliError(
      `The build labelled ${label} is ${state}: ${shares(mix)}. Type \`memcalib build\` to finish it, \`memcalib export --partial\` for what its own pipeline made, or \`memcalib export --allow-mixed${isSettled(mix.fold) ? '' : ' --partial'}\` for both; the card says so then.`,
      EXIT.unfinished,
    );
  if (fold.kept.length === 0)
    throw new CliError(
      `The build labelled ${label} has no accepted example yet, so there is nothing to export. Type \`memcalib status\` to see where its rows are.`,
      EXIT.unfinished,
    );
  throw new CliError(
    `The build labelled ${label} is ${state}, with ${fold.kept.length} examples accepted so far. Type \`memcalib build\` to finish it, or \`memcalib export --partial\` to export what is there.`,
    EXIT.unfinished,
  );
}

/**
 * What an export of a build takes. A build that ended, or `partial`: what its own pipeline made. One that is not at its end while
 * examples of earlier pipelines stand is a mix, which is refused unless `allowMixed`.
 */
export async function openScope(store: Store, run: RunRow, spec: RunSpec, wanted: Wanted, state: string): Promise<ExportScope> {
  const hasEnded = state === 'completed' || state === 'dry';
  const earlier = hasEnded || (wanted.partial && !wanted.allowMixed) ? [] : await earlierPipelines(store, run);
  const fold = await foldStored(store, run, spec.config);
  const own: ExportScope = { scope: run, fold, pipelines: [run.pipelineHash], pipelineOf: () => run.pipelineHash, mixed: [] };
  const mix = earlier.length === 0 ? own : await mixedScope(store, run, spec, earlier);
  const taken = wanted.allowMixed ? mix : own;
  const isWhole = hasEnded || wanted.partial || (taken.mixed.length > 0 && isSettled(taken.fold));
  if (!isWhole || taken.fold.kept.length === 0) refuse(wanted, state, fold, mix);
  return taken;
}

/** Finished examples of a scope in the order asked, a page at a time. */
export async function* finishedExamples(store: Store, of: ExportScope, ids: readonly string[]): AsyncGenerator<Finished> {
  for (let at = 0; at < ids.length; at += PAGE) {
    const page = ids.slice(at, at + PAGE);
    const found = new Map<string, Finished>();
    for (const pipelineHash of of.pipelines) {
      const own = page.filter((id) => of.pipelineOf(id) === pipelineHash);
      for (const { candidateId, example, callKeys } of await store.outcomes({ orderId: of.scope.orderId, pipelineHash }, own))
        if (example !== null) found.set(candidateId, { example: JSON.parse(example) as FinishedExample, callKeys, pipelineHash });
    }
    for (const id of page) {
      const finished = found.get(id);
      if (finished !== undefined) yield finished;
    }
  }
}
