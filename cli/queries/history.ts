import { changedLines } from '../../metrics/text-change.ts';
import type { IngestFacts } from '../../hub/ingest.ts';
import { canonicalJson } from '../../schemas/hash.ts';
import { STEPS } from '../../schemas/steps.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import { readSpec } from '../../activities/read-spec.ts';
import type { RunRow, Store } from '../../store/port.ts';

/** One build: who, when, under which pipeline, what changed since the one before, what it cost and what it yielded. */
export interface HistoryLine {
  readonly runId: string;
  readonly label: string;
  readonly startedAt: number;
  /** Account and machine; null for runs of an older MemCalib. */
  readonly startedBy: string | null;
  readonly state: string;
  readonly reason: string;
  readonly endedAt: number | null;
  readonly pipelineHash: string;
  readonly rehearsal: boolean;
  /** What differs from the build of this label before it; null for the first one. */
  readonly changed: readonly string[] | null;
  readonly calls: number;
  readonly microUsd: number;
  readonly unknownCalls: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly exports: readonly { readonly folder: string; readonly at: number; readonly examples: number }[];
}

type Flat = ReadonlyMap<string, string>;

/** Leaves of a config by path; a source goes by its name, not by its place. */
function flatten(value: unknown, path: string, into: Map<string, string>): Map<string, string> {
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      const name = typeof item === 'object' && item !== null && 'name' in item ? String(item.name) : String(index);
      flatten(item, `${path}.${name}`, into);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) flatten(item, path === '' ? name : `${path}.${name}`, into);
  } else into.set(path, canonicalJson(value));
  return into;
}

function configChanges(before: Flat, after: Flat): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is) return [];
    if (was === undefined) return [`${path} = ${is ?? ''} (new)`];
    return [is === undefined ? `${path} = ${was} (gone)` : `${path} ${was} -> ${is}`];
  });
}

function promptChanges(before: RunSpec, after: RunSpec): readonly string[] {
  return STEPS.flatMap((step) => {
    const [was, is] = [before.prompts[step], after.prompts[step]];
    const lines = was.instructions === is.instructions ? 0 : changedLines(was.instructions, is.instructions);
    return [
      ...(lines === 0 ? [] : [`prompt of ${step}: ${lines} ${lines === 1 ? 'line' : 'lines'}`]),
      ...(was.maxTokens === is.maxTokens ? [] : [`maxTokens of ${step} ${was.maxTokens} -> ${is.maxTokens}`]),
    ];
  });
}

async function sourceChanges(store: Store, before: RunRow, after: RunRow): Promise<readonly string[]> {
  if (before.orderId === after.orderId) return [];
  const [was, is] = await Promise.all([store.order(before.orderId), store.order(after.orderId)]);
  const sources = (facts: string | undefined): ReadonlyMap<string, IngestFacts['sources'][number]> =>
    new Map(facts === undefined ? [] : (JSON.parse(facts) as IngestFacts).sources.map((source) => [source.name, source]));
  const [a, b] = [sources(was?.facts), sources(is?.facts)];
  return [...b].flatMap(([name, source]) => {
    const old = a.get(name);
    if (
      old === undefined ||
      canonicalJson(old.files.map(({ sha256 }) => sha256)) === canonicalJson(source.files.map(({ sha256 }) => sha256))
    )
      return [];
    return [`rows of ${name}: ${old.rowsRead} -> ${source.rowsRead}, candidates ${old.candidates} -> ${source.candidates}`];
  });
}

interface Told {
  readonly run: RunRow;
  readonly spec: RunSpec;
}

async function changesSince(store: Store, before: Told, after: Told): Promise<readonly string[]> {
  const config = configChanges(flatten(before.spec.config, '', new Map()), flatten(after.spec.config, '', new Map()));
  const changes = [...config, ...promptChanges(before.spec, after.spec), ...(await sourceChanges(store, before.run, after.run))];
  if (changes.length === 0 && before.run.pipelineHash !== after.run.pipelineHash) return ['MemCalib itself: checks, schemas or tables'];
  return changes;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'dry', 'cancelled', 'failed']);

async function lineOf(
  store: Store,
  told: Told,
  before: Told | undefined,
  releases: Awaited<ReturnType<Store['releases']>>,
): Promise<HistoryLine> {
  const { run, spec } = told;
  const [state, spent, ends, changed] = await Promise.all([
    store.runState(run.id),
    store.ledger.spent({ runId: run.id }),
    store.stepCounts(run.pipelineHash, run.orderId),
    before === undefined ? Promise.resolve(null) : changesSince(store, before, told),
  ]);
  const sum = (status: string): number => ends.reduce((total, end) => total + (end.status === status ? end.count : 0), 0);
  return {
    runId: run.id,
    label: run.label,
    startedAt: run.startedAt,
    startedBy: spec.startedBy ?? null,
    state: state?.state ?? 'starting',
    reason: state?.reason ?? '',
    endedAt: state !== null && ENDED.has(state.state) ? state.at : null,
    pipelineHash: run.pipelineHash,
    rehearsal: spec.rehearsal,
    changed,
    calls: spent.calls,
    microUsd: spent.microUsd,
    unknownCalls: spent.unknownCalls,
    accepted: sum('accepted'),
    rejected: sum('rejected'),
    exports: releases
      .filter((release) => release.runId === run.id)
      .map(({ folder, at, manifest }) => {
        const { counts } = JSON.parse(manifest) as { readonly counts: { readonly train: number; readonly test: number } };
        return { folder, at, examples: counts.train + counts.test };
      }),
  };
}

/** What a `gc` dropped, and where the backup went that it made first. */
export interface DroppedLine {
  readonly at: number;
  readonly lines: readonly { readonly what: string; readonly rows: number; readonly microUsd: number; readonly unknownCosts: number }[];
  readonly backup: string | null;
}

/** Every `gc` that dropped something, oldest first. */
export async function readDropped(store: Store): Promise<readonly DroppedLine[]> {
  const facts = await store.facts('gc:');
  return facts
    .map(({ name, value }): DroppedLine => {
      const { lines, backup } = JSON.parse(value) as Omit<DroppedLine, 'at'>;
      return { at: Number(name.slice('gc:'.length)), lines, backup };
    })
    .toSorted((a, b) => a.at - b.at);
}

/** Every build of a project (or of one label), oldest first, and what was dropped between them. */
export async function readHistory(
  store: Store,
  args: { readonly label: string | null },
): Promise<{ readonly builds: readonly HistoryLine[]; readonly dropped: readonly DroppedLine[] }> {
  const releases = await store.releases();
  const latest = new Map<string, Told>();
  const lines: HistoryLine[] = [];
  for (const run of await store.runs()) {
    if (args.label !== null && run.label !== args.label) continue;
    const told = { run, spec: await readSpec(store, run.id) };
    lines.push(await lineOf(store, told, latest.get(run.label), releases));
    latest.set(run.label, told);
  }
  return { builds: lines, dropped: await readDropped(store) };
}
