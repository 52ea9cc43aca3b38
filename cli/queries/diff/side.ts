import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomePages, domainSize } from '../../../activities/fold-stored.ts';
import { readSpec } from '../../../activities/read-spec.ts';
import { openRecords } from '../../../hub/record-index.ts';
import type { ExampleDigest } from '../../../metrics/example-digest.ts';
import { DOMAINS } from '../../../schemas/levels.ts';
import type { FinishedExample } from '../../../schemas/finished-example.ts';
import type { ExampleRecord } from '../../../schemas/record.ts';
import { isCovered } from '../../../stages/acceptance.ts';
import type { Store } from '../../../store/port.ts';
import { CliError, EXIT } from '../../cli-error.ts';
import { isExportFolder } from '../../export-folder.ts';
import { nearestName } from '../../nearest-name.ts';
import { foldOf } from '../fold-cache.ts';
import { runOfLabel } from '../run-of.ts';
import type { KnownRun } from '../run-of.ts';
import { latestRunFact } from '../latest-run.ts';

/** How a row ended on one side. `passed`: every step accepted it, whether or not the dataset kept it. */
export interface End {
  readonly state: 'kept' | 'not_kept' | 'rejected' | 'failed' | 'open';
  readonly step: string;
  readonly reason: string;
  /** Counted in the dataset's own list of rejections (up to the cut-off). */
  readonly covered: boolean;
}

/** What a side cost: null where nobody kept count. */
export interface SideCost {
  readonly microUsd: number;
  readonly unknownCalls: number;
  readonly calls: number;
  /** Whether these are the calls behind the examples and rejections, or all of the ledger when the export was made. */
  readonly of: 'build' | 'ledger';
}

/** A finished example as either side holds it. */
export type SideRecord = Omit<ExampleRecord, 'pipeline_hash' | 'split'>;

/** One side of a comparison: a build in the store, or an export folder. */
export interface Side {
  readonly name: string;
  readonly kind: 'build' | 'export';
  readonly runId: string | null;
  readonly pipelineHash: string;
  readonly known: KnownRun | null;
  readonly kept: readonly string[];
  readonly ends: ReadonlyMap<string, End>;
  readonly cost: SideCost | null;
  /** What is known of examples without reading them, in the order in which reading them costs least; empty for an export. */
  readonly digests: ReadonlyMap<string, ExampleDigest>;
  /** Records of the asked ids, in any order. */
  read(ids: readonly string[]): Promise<readonly SideRecord[]>;
}

/** Ends are read so many at a time: each is a few words. */
const ENDS_PAGE = 10_000;

async function endsOf(
  store: Store,
  known: KnownRun,
): Promise<{ readonly kept: readonly string[]; readonly ends: ReadonlyMap<string, End> }> {
  const { run } = known;
  const fold = await foldOf(store, known);
  const ends = new Map<string, End>();
  for (const domain of DOMAINS) {
    const acceptance = fold.domains[domain];
    const [kept, near, waived] = [new Set(acceptance.kept), new Set(acceptance.nearDuplicates), new Set(acceptance.waived)];
    for await (const page of outcomePages(store, run, domain, await domainSize(store, run.orderId, domain), ENDS_PAGE)) {
      for (const item of page) {
        const { candidateId: id, outcome } = item;
        const covered = isCovered(acceptance, item);
        const end = (state: End['state'], step: string, reason: string): void => void ends.set(id, { state, step, reason, covered });
        if (kept.has(id)) end('kept', '', '');
        else if (near.has(id)) end('not_kept', 'acceptance', 'near_duplicate_query');
        else if (outcome === null || outcome.status === 'retry') end('open', '', 'not launched or under way');
        else if (outcome.status === 'accepted') end('not_kept', 'acceptance', 'reserve');
        else if (outcome.status === 'rejected') end('rejected', outcome.step, outcome.reason);
        else end('failed', outcome.step, `${waived.has(id) ? 'waived_' : ''}${outcome.reason}`);
      }
    }
  }
  return { kept: fold.kept, ends };
}

async function buildSide(store: Store, name: string, known: KnownRun): Promise<Side> {
  const { run } = known;
  const cost = await store.lineage.costOf(run);
  const digests = await store.lineage.digests(run);
  return {
    name,
    kind: 'build',
    runId: run.id,
    pipelineHash: run.pipelineHash,
    known,
    ...(await endsOf(store, known)),
    cost: { ...cost, of: 'build' },
    digests: new Map(digests.flatMap(({ candidateId, digest }) => (digest === null ? [] : [[candidateId, digest] as const]))),
    read: async (ids) => (await store.lineage.examples(run, ids)).map(({ example }) => (JSON.parse(example) as FinishedExample).record),
  };
}

function ledgerCost(folder: string): SideCost | null {
  const path = join(folder, 'run.json');
  if (!existsSync(path)) return null;
  const run = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly calls?: number;
    readonly cost_micro_usd?: number | null;
    readonly calls_without_known_cost?: number;
  };
  if (typeof run.cost_micro_usd !== 'number') return null;
  return { microUsd: run.cost_micro_usd, unknownCalls: run.calls_without_known_cost ?? 0, calls: run.calls ?? 0, of: 'ledger' };
}

async function exportSide(folder: string): Promise<Side> {
  const records = await openRecords(folder);
  const ends = new Map<string, End>(records.ids.map((id) => [id, { state: 'kept', step: '', reason: '', covered: true }]));
  for await (const { id, step, reason } of records.rejected()) {
    // Rows that screening left out stand in no build's outcomes: they would show on one side only.
    if (step === 'eligibility') continue;
    const near = step === 'acceptance';
    ends.set(id, { state: near ? 'not_kept' : 'rejected', step, reason, covered: true });
  }
  const [first] = await records.read(records.ids.slice(0, 1));
  return {
    name: folder,
    kind: 'export',
    runId: null,
    pipelineHash: first?.pipeline_hash ?? '',
    known: null,
    kept: records.ids,
    ends,
    cost: ledgerCost(folder),
    digests: new Map(),
    read: (ids) => records.read(ids),
  };
}

async function unknownSide(store: Store, name: string): Promise<CliError> {
  const prefix = latestRunFact('');
  const labels = (await store.facts(prefix)).map((fact) => fact.name.slice(prefix.length));
  const nearest = nearestName(name, [...labels, ...(await store.runs()).map(({ id }) => id)]);
  return new CliError(
    `${name} is neither a build label, a run id nor an export folder${nearest === null ? '' : `; did you mean ${nearest}?`} Labels here: ${labels.join(', ') || 'none'}. Type \`memcalib history\` to see all runs.`,
    EXIT.usage,
  );
}

/** Opens one side by its name: an export folder (a path), a run id, or a label. */
export async function openSide(store: Store | null, name: string, path: string): Promise<Side> {
  if (isExportFolder(path)) return exportSide(path);
  if (store === null)
    throw new CliError(`${path} is no export folder. Name folders that hold train.jsonl or test.jsonl, or labels of builds.`, EXIT.usage);
  const run = await store.run(name);
  if (run !== null) return buildSide(store, name, { run, spec: await readSpec(store, run.id) });
  if ((await store.fact(latestRunFact(name))) === null) throw await unknownSide(store, name);
  return buildSide(store, name, await runOfLabel(store, name));
}
