import { LEVELS, type Action, type Level } from '../schemas/levels.ts';
import type { ExampleRecord } from '../schemas/record.ts';
import type { Tally } from '../stages/export-counts.ts';
import { countWords } from './text-change.ts';

/** Middle and ends of a measure over examples. */
export interface Spread {
  readonly what: string;
  readonly mean: number;
  readonly median: number;
  readonly p5: number;
  readonly p95: number;
  readonly min: number;
  readonly max: number;
}

/** What a set of examples looks like. */
export interface DatasetShape {
  readonly examples: number;
  readonly atoms: number;
  readonly blocks: number;
  readonly domains: Tally;
  readonly datasets: Tally;
  readonly licences: Tally;
  readonly levels: Readonly<Record<Level, number>>;
  readonly actions: Readonly<Record<Action, number>>;
  readonly blocksPerExample: Tally;
  readonly atomsPerBlock: Tally;
  readonly density: Tally;
  readonly spreads: readonly Spread[];
}

/** The value at a share of a sorted list, by nearest rank. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
}

function spread(what: string, values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
  const mean = values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  return { what, mean, median, p5: quantile(sorted, 0.05), p95: quantile(sorted, 0.95), min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}

class Counter {
  private readonly counts = new Map<string, number>();

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  /** By number where names are numbers, else by name. */
  tally(): Tally {
    return Object.fromEntries([...this.counts].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })));
  }
}

/** Collects the shape of a dataset example by example; holds counts and one number per measure and example, no text. */
export class ShapeCollector {
  private readonly counters = {
    domains: new Counter(),
    datasets: new Counter(),
    licences: new Counter(),
    blocksPerExample: new Counter(),
    atomsPerBlock: new Counter(),
    density: new Counter(),
  };
  private readonly levels: Record<Level, number> = { A: 0, B: 0, C: 0 };
  private readonly actions: Record<Action, number> = { ignore: 0, apply: 0, correct: 0 };
  private readonly values = new Map<string, number[]>();
  private blocks = 0;

  private measure(what: string, value: number): void {
    const values = this.values.get(what) ?? [];
    if (values.length === 0) this.values.set(what, values);
    values.push(value);
  }

  take(record: Omit<ExampleRecord, 'split' | 'pipeline_hash'>, densityLevel: number): void {
    const { memories, memory_blocks: blocks } = record;
    const { counters } = this;
    counters.domains.add(record.domain);
    counters.datasets.add(record.source_dataset ?? 'unknown');
    counters.licences.add(record.source_license ?? 'unknown');
    counters.blocksPerExample.add(String(blocks.length));
    counters.density.add(String(densityLevel));
    for (const block of blocks) counters.atomsPerBlock.add(String(block.atom_ids.length));
    for (const atom of memories) {
      this.levels[atom.u_star] += 1;
      this.actions[atom.memory_action] += 1;
    }
    this.blocks += blocks.length;
    this.measure('atoms per example', memories.length);
    this.measure('used atoms (B or C) per example', memories.filter(({ u_star: level }) => level !== 'A').length);
    this.measure('query words', countWords(record.question));
    this.measure(
      'memory words',
      blocks.reduce((sum, block) => sum + countWords(block.memory_text), 0),
    );
    for (const level of LEVELS)
      for (const atom of memories) if (atom.u_star === level) this.measure(`words of ${level} atoms`, countWords(atom.text));
  }

  shape(): DatasetShape {
    const { counters, levels, actions, blocks } = this;
    return {
      examples: this.values.get('atoms per example')?.length ?? 0,
      atoms: levels.A + levels.B + levels.C,
      blocks,
      domains: counters.domains.tally(),
      datasets: counters.datasets.tally(),
      licences: counters.licences.tally(),
      levels: { ...levels },
      actions: { ...actions },
      blocksPerExample: counters.blocksPerExample.tally(),
      atomsPerBlock: counters.atomsPerBlock.tally(),
      density: counters.density.tally(),
      spreads: [...this.values].map(([what, values]) => spread(what, values)),
    };
  }
}
