import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bindRoles, prepareSteps } from '../../activities/prepare-steps.ts';
import type { FormatModes } from '../../activities/prepare-steps.ts';
import { readSpec } from '../../activities/read-spec.ts';
import { foldedRejections } from '../../activities/fold-stored.ts';
import { CardError, renderCard } from '../../stages/card.ts';
import { splitExamples } from '../../datasets/splits.ts';
import type { SplitItem } from '../../datasets/splits.ts';
import { writeExport } from '../../hub/write-export.ts';
import { ROLES } from '../../schemas/steps.ts';
import type { ProvenanceLine, RejectedLine, ExampleRecord } from '../../schemas/record.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import type { RunRow, Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { packageRoot } from '../package-root.ts';
import { cardSources } from './card-sources.ts';
import { finishedExamples, openScope } from './export-scope.ts';
import type { ExportScope } from './export-scope.ts';
import { latestRunFact } from './latest-run.ts';
import { readStatus } from './status.ts';

/** What an export is asked to do. */
export interface ExportArgs {
  readonly label: string;
  readonly folder: string;
  readonly allowUnknownLicence: boolean;
  readonly partial: boolean;
  /** Lets examples of earlier pipelines stand where the build has not come to yet. */
  readonly allowMixed: boolean;
}

/** What an export holds. */
export interface ExportReport {
  readonly folder: string;
  readonly train: number;
  readonly test: number;
  readonly rejected: number;
  readonly domains: Readonly<Record<string, number>>;
  readonly rehearsal: boolean;
  readonly pipelineHash: string;
  /** Examples by pipeline when several are mixed; else empty. */
  readonly mixed: readonly { readonly pipelineHash: string; readonly examples: number }[];
}

async function splitsOf(store: Store, of: ExportScope, spec: RunSpec): Promise<ReadonlyMap<string, string>> {
  const items: SplitItem[] = [];
  for await (const { example } of finishedExamples(store, of, of.fold.kept)) {
    const { record } = example;
    items.push({
      id: record.id,
      domain: record.domain,
      source: record.source_dataset ?? '',
      densityLevel: example.densityLevel,
      sourceRow: `${record.source_dataset ?? ''}\u0000${record.source_id ?? ''}`,
      groupKey: record.group_key ?? record.id,
      query: record.question,
    });
  }
  const test = items.length < 2 ? 0 : Math.max(1, Math.round(items.length * spec.config.testShare));
  return splitExamples(
    items,
    [
      { name: 'train', total: items.length - test },
      { name: 'test', total: test },
    ],
    { seed: spec.config.seed },
  );
}

/** Streams of an export, each read once, in the order of the acceptance fold. */
function streams(
  store: Store,
  run: RunRow,
  of: ExportScope,
  splits: ReadonlyMap<string, string>,
): {
  readonly records: (split: 'train' | 'test') => AsyncGenerator<ExampleRecord>;
  readonly provenance: () => AsyncGenerator<ProvenanceLine>;
  readonly rejected: () => AsyncGenerator<RejectedLine>;
} {
  const idsOf = (split: string): readonly string[] => of.fold.kept.filter((id) => splits.get(id) === split);
  return {
    async *records(split) {
      for await (const { example, pipelineHash } of finishedExamples(store, of, idsOf(split)))
        yield { ...example.record, pipeline_hash: pipelineHash, split };
    },
    async *provenance() {
      for (const split of ['train', 'test'] as const) {
        for await (const { example, callKeys, pipelineHash } of finishedExamples(store, of, idsOf(split))) {
          const { record } = example;
          yield {
            id: record.id,
            source_dataset: record.source_dataset ?? '',
            source_id: record.source_id ?? '',
            source_revision: record.source_revision ?? '',
            source_license: record.source_license ?? 'unknown',
            attribution: record.attribution ?? '',
            group_key: record.group_key ?? '',
            pipeline_hash: pipelineHash,
            split,
            calls: [...callKeys],
          };
        }
      }
    },
    async *rejected() {
      for await (const page of store.rowRejections(run.orderId)) {
        for (const row of page)
          yield { id: row.sourceId, source_dataset: row.sourceDataset, source_id: row.sourceId, step: 'eligibility', reason: row.reason };
      }
      for await (const item of foldedRejections(store, of.scope, of.fold))
        yield { id: item.candidateId, source_dataset: item.sourceDataset, source_id: item.sourceId, step: item.step, reason: item.reason };
    },
  };
}

function codeVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
}

/** The release and the split of each of its examples, so that `why` can name it. */
async function recordRelease(
  store: Store,
  release: { readonly runId: string; readonly folder: string; readonly manifest: string },
  kept: readonly string[],
  splits: ReadonlyMap<string, string>,
): Promise<void> {
  const at = Date.now();
  await store.putRelease(
    { ...release, id: `${basename(dirname(release.folder))}/${basename(release.folder)}-${at}`, at },
    kept.map((exampleId) => ({ exampleId, split: splits.get(exampleId) === 'test' ? 'test' : 'train' })),
  );
}

/** Exports the accepted examples of the latest build of a label, checked before it is put in place (SPEC §2). */
export async function exportRelease(store: Store, args: ExportArgs): Promise<ExportReport> {
  const runId = await store.fact(latestRunFact(args.label));
  const run = runId === null ? null : await store.run(runId);
  if (runId === null || run === null)
    throw new CliError(`There is no build labelled ${args.label} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
  const spec = await readSpec(store, runId);
  const status = await readStatus(store, args.label);
  const of = await openScope(store, run, spec, args, status?.state ?? 'starting');
  const { fold } = of;
  const mixed = of.mixed.map(({ pipelineHash, examples }) => ({ pipeline_hash: pipelineHash, examples }));
  const splits = await splitsOf(store, of, spec);
  const { records, provenance, rejected } = streams(store, run, of, splits);
  const steps = prepareSteps(spec, (JSON.parse(run.config) as { readonly modes: FormatModes }).modes);
  const roles = bindRoles(spec);
  const models = Object.fromEntries(ROLES.map((role) => [role, { provider: roles[role].provider, model: roles[role].model }])) as Record<
    (typeof ROLES)[number],
    { provider: string; model: string }
  >;
  const sources = await cardSources(finishedExamples(store, of, fold.kept));
  try {
    const summary = await writeExport(args.folder, {
      name: spec.config.name,
      seed: run.seed,
      pipelineHash: run.pipelineHash,
      ...(mixed.length > 0 && { mixed }),
      rehearsal: spec.rehearsal,
      train: records('train'),
      test: records('test'),
      provenance: provenance(),
      rejected: rejected(),
      card: (counts) =>
        renderCard({
          name: spec.config.name,
          rehearsal: spec.rehearsal,
          allowUnknownLicence: args.allowUnknownLicence || spec.allowUnknownLicence === true,
          counts,
          sources,
          models,
          stepVersions: [...steps.values()].map((step) => ({ step: step.definition.id, version: step.version })),
          pipelineHash: run.pipelineHash,
          mixed: of.mixed,
          seed: run.seed,
          codeVersion: codeVersion(),
        }),
      run: {
        exported_at: new Date().toISOString(),
        run_id: runId,
        label: args.label,
        partial: args.partial,
        ...(mixed.length > 0 && { mixed }),
        reserve: fold.reserve,
        calls: status?.calls.total ?? 0,
        cost_micro_usd: status?.calls.microUsd ?? null,
        calls_without_known_cost: status?.calls.unknownCost ?? 0,
      },
    });
    await recordRelease(store, { runId, folder: args.folder, manifest: JSON.stringify(summary.manifest) }, fold.kept, splits);
    return {
      folder: args.folder,
      train: summary.manifest.counts.train,
      test: summary.manifest.counts.test,
      rejected: summary.manifest.counts.rejected,
      domains: summary.counts.byDomain,
      rehearsal: spec.rehearsal,
      pipelineHash: run.pipelineHash,
      mixed: of.mixed.map(({ pipelineHash, examples }) => ({ pipelineHash, examples })),
    };
  } catch (error) {
    if (error instanceof CardError)
      throw new CliError(
        `${error.message} Type the command again with --allow-unknown-licence if you may use them; the card will say so.`,
        EXIT.usage,
        { cause: error },
      );
    throw error;
  }
}
