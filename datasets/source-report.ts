import { COMPLEXITIES } from '../schemas/candidate.ts';
import { sha256Hex } from '../schemas/hash.ts';
import type { Domain } from '../schemas/levels.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import { candidateId } from './candidate-order.ts';
import { INGEST_STAGES, type IngestObserver, type IngestStage, type ScreenedRow } from './ingest-observer.ts';
import { complexityOf } from './screening/complexity.ts';
import { maskRow } from './screening/mask-row.ts';
import { askedText } from './screening/row-text.ts';
import { memorySignals } from './screening/signals.ts';
import { TextFacts } from './screening/text-facts.ts';
import { topicOf } from './screening/topic.ts';

/** Upper ends of the length classes, in characters. */
const LENGTHS = [100, 250, 500, 1000, 2500, 6000, 10_000] as const;
export const LENGTH_CLASSES: readonly string[] = [...LENGTHS.map((end) => `< ${end.toLocaleString('en-US')}`), 'longer'];

/** How many rows stand in each class; keys that did not occur are left out. */
export type Counts = Readonly<Record<string, number>>;

/** Lengths, topics and complexity of a set of rows. */
export interface Distribution {
  readonly rows: number;
  readonly questionLength: Counts;
  readonly answerLength: Counts;
  readonly topic: Counts;
  readonly complexity: Counts;
}

/** A rejected row to look at; identifiers in its text are masked. */
export interface RejectedExample {
  readonly id: string;
  readonly file: string;
  readonly row: number;
  readonly detail: string;
  /** Null where no adapter could make a row of it. */
  readonly text: string | null;
}

export interface StageReport {
  readonly stage: IngestStage;
  readonly in: number;
  readonly accepted: number;
  readonly rejected: Readonly<Record<string, { readonly count: number; readonly examples: readonly RejectedExample[] }>>;
}

/** What became of the rows of one source. */
export interface SourceSection {
  readonly name: string;
  readonly domain: Domain | null;
  readonly stages: readonly StageReport[];
  readonly before: Distribution;
  readonly after: Distribution;
  readonly licences: Counts;
  readonly masked: Counts;
}

/** Clusters of duplicates: how many have so many members, and how many repeats stand in another source than their representative. */
export interface ClusterReport {
  readonly sizes: Counts;
  readonly acrossSources: number;
}

const EXAMPLES = 3;
const EXCERPT_CHARS = 280;

class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  counts(order: readonly string[] | null = null): Counts {
    const place = (name: string): number => (order === null ? 0 : order.indexOf(name));
    return Object.fromEntries(
      [...this.#counts].sort(([a, m], [b, n]) => (order === null ? n - m || (a < b ? -1 : 1) : place(a) - place(b))),
    );
  }
}

function lengthClass(chars: number): string {
  return LENGTH_CLASSES[LENGTHS.findIndex((end) => chars < end)] ?? 'longer';
}

class Shape {
  rows = 0;
  readonly #question = new Tally();
  readonly #answer = new Tally();
  readonly #topic = new Tally();
  readonly #complexity = new Tally();

  add(row: SourceRow, topic: string, complexity: string): void {
    this.rows += 1;
    this.#question.add(lengthClass(row.question.length));
    this.#answer.add(lengthClass(row.answer.length));
    this.#topic.add(topic);
    this.#complexity.add(complexity);
  }

  distribution(): Distribution {
    return {
      rows: this.rows,
      questionLength: this.#question.counts(LENGTH_CLASSES),
      answerLength: this.#answer.counts(LENGTH_CLASSES),
      topic: this.#topic.counts(),
      complexity: this.#complexity.counts(COMPLEXITIES),
    };
  }
}

interface Reason {
  count: number;
  /** The examples with the lowest hashes, so that the choice depends on the rows and not on their order. */
  readonly examples: { readonly rank: string; readonly example: RejectedExample }[];
}

function excerptOf(row: SourceRow | null): string | null {
  if (row === null) return null;
  const { question, answer } = maskRow(row).row;
  const cut = (text: string): string => (text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)} ...` : text);
  return `${cut(question)}\n=> ${cut(answer)}`;
}

class SourceTally {
  domain: Domain | null = null;
  readonly before = new Shape();
  readonly after = new Shape();
  readonly licences = new Tally();
  readonly masked = new Tally();
  readonly #reasons = new Map<IngestStage, Map<string, Reason>>(INGEST_STAGES.map((stage) => [stage, new Map<string, Reason>()]));

  reject(stage: IngestStage, rejection: RowRejection, row: SourceRow | null): void {
    const ofStage = this.#reasons.get(stage);
    const known = ofStage?.get(rejection.reason) ?? { count: 0, examples: [] };
    ofStage?.set(rejection.reason, known);
    known.count += 1;
    const rank = sha256Hex(`${rejection.sourceId}\u0000${rejection.origin.file}\u0000${rejection.origin.row}`);
    if (known.examples.length === EXAMPLES && rank > (known.examples.at(-1)?.rank ?? '')) return;
    const { file, row: number } = rejection.origin;
    const id = row === null ? rejection.sourceId : candidateId(row.sourceDataset, row.sourceId);
    known.examples.push({ rank, example: { id, file, row: number, detail: rejection.detail, text: excerptOf(row) } });
    known.examples.sort((a, b) => (a.rank < b.rank ? -1 : 1));
    known.examples.length = Math.min(EXAMPLES, known.examples.length);
  }

  stages(rows: number): readonly StageReport[] {
    let left = rows;
    return INGEST_STAGES.map((stage) => {
      const reasons = [...(this.#reasons.get(stage) ?? [])].sort(([a, m], [b, n]) => n.count - m.count || (a < b ? -1 : 1));
      const entered = left;
      left -= reasons.reduce((sum, [, { count }]) => sum + count, 0);
      const rejected = Object.fromEntries(
        reasons.map(([reason, { count, examples }]) => [reason, { count, examples: examples.map(({ example }) => example) }]),
      );
      return { stage, in: entered, accepted: left, rejected };
    });
  }
}

/** Watches an ingest and sums it up per source. `section` takes the rows read less those merged into another row's unit. */
export interface ReportCollector {
  readonly observer: IngestObserver;
  readonly section: (name: string, units: number) => SourceSection;
  readonly clusters: () => ClusterReport;
}

/** Opens a collector; it holds counts and three excerpts a reason, never the rows. */
export function createReportCollector(): ReportCollector {
  const sources = new Map<string, SourceTally>();
  const repeats = new Map<string, number>();
  let acrossSources = 0;
  const of = (name: string): SourceTally => {
    const known = sources.get(name) ?? new SourceTally();
    sources.set(name, known);
    return known;
  };
  return {
    observer: {
      adapted: (row) => {
        const tally = of(row.source);
        tally.domain = row.domain;
        const asked = askedText(row);
        const families = memorySignals(asked, row.domain).length;
        tally.before.add(row, topicOf(`${asked}\n${row.answer}`, row.domain), complexityOf(new TextFacts(row.question), families));
      },
      rejected: (stage, rejection, row, representative) => {
        of(rejection.source).reject(stage, rejection, row);
        if (representative === null) return;
        const key = candidateId(representative.sourceDataset, representative.sourceId);
        repeats.set(key, (repeats.get(key) ?? 0) + 1);
        acrossSources += Number(representative.source !== rejection.source);
      },
      kept: ({ row, measures, masked }: ScreenedRow) => {
        const tally = of(row.source);
        tally.after.add(row, measures.topic, measures.complexity);
        tally.licences.add(row.sourceLicense);
        for (const [kind, count] of Object.entries(masked)) tally.masked.add(kind, count);
      },
    },
    section: (name, units) => {
      const tally = of(name);
      return {
        name,
        domain: tally.domain,
        stages: tally.stages(units),
        before: tally.before.distribution(),
        after: tally.after.distribution(),
        licences: tally.licences.counts(),
        masked: tally.masked.counts(),
      };
    },
    clusters: () => {
      const sizes = new Map<number, number>();
      for (const count of repeats.values()) sizes.set(count + 1, (sizes.get(count + 1) ?? 0) + 1);
      return {
        sizes: Object.fromEntries([...sizes].sort(([a], [b]) => a - b).map(([size, count]) => [`${size} rows`, count])),
        acrossSources,
      };
    },
  };
}
