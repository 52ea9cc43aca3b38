import { ShapeCollector } from '../../metrics/dataset-shape.ts';
import type { DatasetShape } from '../../metrics/dataset-shape.ts';
import { PUBLISHED_MIX } from '../../datasets/strata.ts';
import { COMPLEXITIES } from '../../schemas/candidate.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import type { Domain } from '../../schemas/levels.ts';
import type { FinishedExample } from '../../schemas/finished-example.ts';
import type { AtomizeOutput } from '../../schemas/workpiece.ts';
import type { BookLine } from '../../stages/books.ts';
import { drawBlockPlan } from '../../stages/block-plan.ts';
import type { CostSum } from '../../store/lineage-port.ts';
import type { Store } from '../../store/port.ts';
import { foldOf } from './fold-cache.ts';
import { runOfLabel } from './run-of.ts';
import type { KnownRun } from './run-of.ts';
import { readStatus } from './status.ts';

/** Kept examples of a source; `quota` and `publishedShare` are null where there is none. */
export interface SourceLine {
  readonly source: string;
  readonly domain: Domain;
  readonly examples: number;
  readonly quota: number | null;
  /** Share of its domain among the published examples, 0 to 1. */
  readonly publishedShare: number | null;
}

/** One step over all sources: how much went in, came out, and why the rest did not. */
export interface YieldLine {
  readonly step: string;
  readonly in: number;
  readonly accepted: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
  readonly pending: number;
}

/** The data of a build as it is. */
export interface StatsReport {
  readonly label: string;
  readonly runId: string;
  readonly pipelineHash: string;
  readonly state: string;
  readonly rehearsal: boolean;
  readonly target: Readonly<Record<Domain, number>>;
  readonly shape: DatasetShape;
  readonly sources: readonly SourceLine[];
  readonly complexity: Readonly<Record<string, number>>;
  readonly topics: readonly { readonly domain: Domain; readonly topic: string; readonly examples: number }[];
  /** Examples whose block plan had to be drawn again, and how often in all. */
  readonly redraws: { readonly examples: number; readonly draws: number };
  readonly reserve: number;
  readonly nearDuplicates: number;
  readonly rowRejections: Readonly<Record<string, number>>;
  readonly yields: readonly YieldLine[];
  /** Every call behind the examples and rejections of the build, shared ones included. */
  readonly cost: CostSum;
}

const PAGE = 200;

interface Collected {
  readonly shape: DatasetShape;
  readonly bySource: ReadonlyMap<string, number>;
  readonly complexity: Readonly<Record<string, number>>;
  readonly topics: StatsReport['topics'];
  readonly redraws: StatsReport['redraws'];
}

async function collect(store: Store, { run, spec }: KnownRun, kept: readonly string[]): Promise<Collected> {
  const shape = new ShapeCollector();
  const bySource = new Map<string, number>();
  const complexity: Record<string, number> = Object.fromEntries(COMPLEXITIES.map((name) => [name, 0]));
  const topics = new Map<string, { domain: Domain; topic: string; examples: number }>();
  const domainOf = new Map<string, Domain>();
  let [examples, draws] = [0, 0];
  for (let at = 0; at < kept.length; at += PAGE) {
    const page = kept.slice(at, at + PAGE);
    for (const { example } of await store.outcomes(run, page)) {
      if (example === null) continue;
      const { record, densityLevel } = JSON.parse(example) as FinishedExample;
      shape.take(record, densityLevel);
      domainOf.set(record.id, record.domain);
    }
    for (const { candidateId, source, topic, complexity: level } of await store.lineage.measures(run.orderId, page)) {
      const domain = domainOf.get(candidateId) ?? 'general';
      bySource.set(source, (bySource.get(source) ?? 0) + 1);
      complexity[level] = (complexity[level] ?? 0) + 1;
      const line = topics.get(`${domain} ${topic}`) ?? { domain, topic, examples: 0 };
      topics.set(`${domain} ${topic}`, { ...line, examples: line.examples + 1 });
    }
    for (const { candidateId, output } of await store.lineage.trailOutputs(run, 'atomize', page)) {
      const { redraws } = drawBlockPlan(spec.config.seed, candidateId, (JSON.parse(output) as AtomizeOutput).atoms);
      draws += redraws;
      if (redraws > 0) examples += 1;
    }
  }
  const sorted = [...topics.values()].sort(
    (a, b) => DOMAINS.indexOf(a.domain) - DOMAINS.indexOf(b.domain) || b.examples - a.examples || (a.topic < b.topic ? -1 : 1),
  );
  return { shape: shape.shape(), bySource, complexity, topics: sorted, redraws: { examples, draws } };
}

function sourceLines(known: KnownRun, domains: ReadonlyMap<string, Domain>, kept: ReadonlyMap<string, number>): readonly SourceLine[] {
  const { sources } = known.spec.config;
  const published = (domain: Domain): number =>
    sources.reduce((sum, { name, adapter }) => sum + (domains.get(name) === domain ? (PUBLISHED_MIX[adapter] ?? 0) : 0), 0);
  return sources
    .flatMap(({ name, adapter, quota }): readonly SourceLine[] => {
      const domain = domains.get(name);
      if (domain === undefined) return [];
      const own = PUBLISHED_MIX[adapter];
      return [
        {
          source: name,
          domain,
          examples: kept.get(name) ?? 0,
          quota: quota ?? null,
          publishedShare: own === undefined ? null : own / published(domain),
        },
      ];
    })
    .sort((a, b) => DOMAINS.indexOf(a.domain) - DOMAINS.indexOf(b.domain) || (a.source < b.source ? -1 : 1));
}

function merge(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const one of counts) for (const [name, count] of Object.entries(one)) sum[name] = (sum[name] ?? 0) + count;
  return Object.fromEntries(Object.entries(sum).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));
}

function yieldLines(books: readonly BookLine[]): readonly YieldLine[] {
  return [...new Set(books.map(({ step }) => step))].map((step) => {
    const lines = books.filter((line) => line.step === step);
    const sum = (value: (line: BookLine) => number): number => lines.reduce((total, line) => total + value(line), 0);
    return {
      step,
      in: sum((line) => line.in),
      accepted: sum((line) => line.accepted),
      rejected: merge(lines.map((line) => line.rejected)),
      failed: merge(lines.map((line) => line.failed)),
      pending: sum((line) => line.pending),
    };
  });
}

/** What the data of the latest build of a label looks like, beside what was wanted and what was published. */
export async function readStats(store: Store, args: { readonly label: string }): Promise<StatsReport> {
  const known = await runOfLabel(store, args.label);
  const { run, spec } = known;
  const fold = await foldOf(store, known);
  const [status, counts, cost] = await Promise.all([
    readStatus(store, args.label),
    store.candidateCounts(run.orderId),
    store.lineage.costOf(run),
  ]);
  const { bySource, ...collected } = await collect(store, known, fold.kept);
  const domains = new Map(counts.map(({ source, domain }) => [source, domain]));
  return {
    label: args.label,
    runId: run.id,
    pipelineHash: run.pipelineHash,
    state: status?.state ?? 'starting',
    rehearsal: spec.rehearsal,
    target: spec.config.target,
    ...collected,
    sources: sourceLines(known, domains, bySource),
    reserve: fold.reserve,
    nearDuplicates: DOMAINS.reduce((sum, domain) => sum + fold.domains[domain].nearDuplicates.length, 0),
    rowRejections: merge((status?.rowRejections ?? []).map(({ reason, count }) => ({ [reason]: count }))),
    yields: yieldLines(status?.books ?? []),
    cost,
  };
}
