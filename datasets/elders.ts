import { sha256Hex } from '../schemas/hash.ts';
import type { DroppedRow } from './duplicates.ts';
import type { HeldRows } from './held-rows.ts';
import { compareRank, type AgeOf } from './row-rank.ts';

/** Rows that stay although a row that came later would represent their duplicates better. */
export interface Elders {
  readonly count: number;
  /** Stands for all of them in the id of the order. */
  readonly key: string;
  /** The first age that counted. */
  readonly since: number;
}

/** Finds the rows that stay for their age alone; null when all rows would stand as they do if they had come at once. */
export function eldersOf(rows: HeldRows, dropped: readonly DroppedRow[], ages: readonly number[], ageOf: AgeOf): Elders | null {
  const [since] = ages;
  if (since === undefined) return null;
  const better = dropped.filter(
    ({ row, representative }) => ageOf(row) > ageOf(representative) && compareRank(rows, row, representative) < 0,
  );
  if (better.length === 0) return null;
  const pairs = better.map(({ row, representative }) => `${rows.id(representative)} ${rows.id(row)}`).sort();
  return { count: new Set(better.map(({ representative }) => representative)).size, key: sha256Hex(pairs.join('\n')), since };
}

/** How many rows stand in the place of rows that came before them. */
export function displacedBy(dropped: readonly DroppedRow[], ageOf: AgeOf): number {
  return new Set(dropped.flatMap(({ row, representative }) => (ageOf(row) < ageOf(representative) ? [representative] : []))).size;
}
