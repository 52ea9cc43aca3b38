import { CHANGED_PARTS } from '../../../metrics/example-change.ts';
import type { ChangedPart, ExampleChange } from '../../../metrics/example-change.ts';
import type { ExampleDigest } from '../../../metrics/example-digest.ts';
import { LEVELS } from '../../../schemas/levels.ts';
import type { End, Side } from './side.ts';

/** What changed in one part over all examples. */
export interface PartChange {
  readonly part: ChangedPart;
  readonly examples: number;
  readonly changes: number;
  readonly wordsRemoved: number;
  readonly wordsAdded: number;
}

/** Mean and median of a measure over the kept examples of each side; null without any. */
export interface LengthLine {
  readonly what: string;
  readonly before: Middle;
  readonly after: Middle;
}

export interface Middle {
  readonly mean: number | null;
  readonly median: number | null;
}

/** How many rows fell at a step for a reason, before and after. */
export interface ReasonLine {
  readonly step: string;
  readonly reason: string;
  readonly before: number;
  readonly after: number;
}

type Lengthy = Omit<ExampleDigest, 'hash' | 'levels'>;

const MEASURES: Readonly<Record<string, (of: Lengthy) => number>> = {
  'query words': ({ queryWords }) => queryWords,
  'memory words': ({ memoryWords }) => memoryWords,
  atoms: ({ atoms }) => atoms,
  blocks: ({ blocks }) => blocks,
};

function middle(values: readonly number[]): Middle {
  if (values.length === 0) return { mean: null, median: null };
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return {
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    median: sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2,
  };
}

/** Collects lengths of examples of both sides. */
export class Lengths {
  private readonly before = new Map<string, number[]>();
  private readonly after = new Map<string, number[]>();

  take(side: 'before' | 'after', lengths: Lengthy): void {
    for (const [what, measure] of Object.entries(MEASURES)) {
      const values = this[side].get(what) ?? [];
      if (values.length === 0) this[side].set(what, values);
      values.push(measure(lengths));
    }
  }

  lines(): readonly LengthLine[] {
    return Object.keys(MEASURES).map((what) => ({
      what,
      before: middle(this.before.get(what) ?? []),
      after: middle(this.after.get(what) ?? []),
    }));
  }
}

/** Sums changes by part. */
export class Parts {
  private readonly parts = new Map<ChangedPart, PartChange>();

  take(change: ExampleChange): void {
    const seen = new Set<ChangedPart>();
    for (const { part, wordsRemoved, wordsAdded } of change.changes) {
      const before = this.parts.get(part) ?? { part, examples: 0, changes: 0, wordsRemoved: 0, wordsAdded: 0 };
      this.parts.set(part, {
        part,
        examples: before.examples + (seen.has(part) ? 0 : 1),
        changes: before.changes + 1,
        wordsRemoved: before.wordsRemoved + wordsRemoved,
        wordsAdded: before.wordsAdded + wordsAdded,
      });
      seen.add(part);
    }
  }

  lines(): readonly PartChange[] {
    return CHANGED_PARTS.flatMap((part) => this.parts.get(part) ?? []);
  }
}

/** Levels of atoms before and after; `none` where the atom stands on one side only. */
export type LevelMatrix = Readonly<Record<'A' | 'B' | 'C' | 'none', Readonly<Record<'A' | 'B' | 'C' | 'none', number>>>>;

/** Counts level transitions over examples on both sides. */
export class LevelCounts {
  private readonly matrix = { A: levelRow(), B: levelRow(), C: levelRow(), none: levelRow() };

  take(pairs: ExampleChange['levels']): void {
    for (const [before, after] of pairs) this.matrix[before ?? 'none'][after ?? 'none'] += 1;
  }

  /** An example that is the same on both sides. */
  takeSame(levels: ExampleDigest['levels']): void {
    for (const level of LEVELS) this.matrix[level][level] += levels[level];
  }

  lines(): LevelMatrix {
    return this.matrix;
  }
}

function levelRow(): { A: number; B: number; C: number; none: number } {
  return { A: 0, B: 0, C: 0, none: 0 };
}

function fallen(side: Side): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { state, step, reason, covered } of side.ends.values()) {
    if (!covered || state === 'kept' || state === 'open' || reason === 'reserve') continue;
    const key = `${step}\t${reason}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Reasons for which rows fell up to the cut-offs, before and after, the largest difference first. */
export function reasonLines(before: Side, after: Side): readonly ReasonLine[] {
  const [a, b] = [fallen(before), fallen(after)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((key): ReasonLine => {
      const [step = '', reason = ''] = key.split('\t');
      return { step, reason, before: a.get(key) ?? 0, after: b.get(key) ?? 0 };
    })
    .sort((x, y) => Math.abs(y.after - y.before) - Math.abs(x.after - x.before) || (x.step + x.reason < y.step + y.reason ? -1 : 1));
}

function hasPassed(end: End | undefined): boolean {
  return end?.state === 'kept' || end?.state === 'not_kept';
}

function fellAtReview(end: End | undefined): boolean {
  return end?.state === 'rejected' && end.step.startsWith('review-');
}

/** A row that one side passed and the other's reviewers rejected. */
export interface QaFlip {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
}

/** Rows that passed before and fall at quality assurance now, or the reverse. */
export function qaFlips(passing: Side, falling: Side): readonly QaFlip[] {
  return [...falling.ends].flatMap(([id, end]) =>
    fellAtReview(end) && hasPassed(passing.ends.get(id)) ? [{ id, step: end.step, reason: end.reason }] : [],
  );
}
