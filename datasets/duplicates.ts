import type { RowRejection } from '../schemas/source-row.ts';
import { DOMAINS } from '../schemas/levels.ts';
import type { HeldRows } from './held-rows.ts';
import { NONE } from './passed-rows.ts';
import { readClusters } from './known-clusters.ts';
import { rankRows, type AgeOf } from './row-rank.ts';
import { clusterNearDuplicates, textsToCompare, type ClusterInput } from './near-clusters.ts';

/** A row that repeats another, and the one that stays in its place. */
export interface DroppedRow {
  readonly reason: 'duplicate_id' | 'duplicate_group' | 'exact_duplicate' | 'near_duplicate';
  readonly row: number;
  readonly representative: number;
}

/** Finds the first row that a later one repeats: the number of the earlier one, or the row itself, then remembered. */
type FirstLike = (row: number) => number;

function byUnit(rows: HeldRows): FirstLike {
  const first = new Int32Array(rows.unitCount).fill(-1);
  return (row) => {
    const unit = rows.unit(row);
    if (unit === NONE) return row;
    const known = first[unit] as number;
    if (known < 0) first[unit] = row;
    return known < 0 ? row : known;
  };
}

/** Rows are equal when `isSame` says so, which it can only of rows of one hash; those of hash `NONE` are equal to no other. */
function byHash(count: number, hashOf: (row: number) => number, isSame: (a: number, b: number) => boolean): FirstLike {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(count * 2 + 2))).fill(-1);
  const mask = slots.length - 1;
  return (row) => {
    const hash = hashOf(row);
    if (hash === NONE) return row;
    let slot = hash & mask;
    while ((slots[slot] as number) >= 0 && !isSame(slots[slot] as number, row)) slot = (slot + 1) & mask;
    const known = slots[slot] as number;
    if (known < 0) slots[slot] = row;
    return known < 0 ? row : known;
  };
}

const placeOf = (rows: HeldRows, row: number): string => {
  const { file, row: fileRow } = rows.origin(row);
  return `${rows.sourceId(row)} (${file}, row ${fileRow})`;
};

const DETAILS: Readonly<Record<DroppedRow['reason'], (kept: string) => string>> = {
  duplicate_id: (kept) => `Another row has the same id: ${kept}.`,
  duplicate_group: (kept) => `Its tree or dialogue is already represented by ${kept}.`,
  exact_duplicate: (kept) => `The same question stands in ${kept}.`,
  near_duplicate: (kept) => `Its question is nearly that of ${kept}.`,
};

/** The rejection of a row that was dropped. */
export function rejectionOf(rows: HeldRows, { reason, row, representative }: DroppedRow): RowRejection {
  return {
    ...rows.source(row),
    sourceId: rows.sourceId(row),
    reason,
    detail: DETAILS[reason](placeOf(rows, representative)),
    origin: rows.origin(row),
  };
}

/** Where the questions of rows are. */
export interface Questions {
  /** Makes sure that `of` can read the questions of these rows. */
  readonly fetch: (rows: readonly number[]) => Promise<void>;
  readonly of: (row: number) => string;
}

/** What became of all rows, and what the next ingest need not find out again. */
export interface Deduplicated {
  readonly kept: Uint32Array;
  readonly dropped: readonly DroppedRow[];
  /** 1 for each row that was set beside others as a text; `rootOf` is then the best row of its cluster. */
  readonly tookPart: Uint8Array;
  readonly rootOf: Uint32Array;
}

/** For each row that is left the best row of its cluster of near-duplicates, within a domain. */
async function nearRoots(
  rows: HeldRows,
  left: Uint32Array,
  questions: Questions,
  threshold: number,
  knownRoots: Uint32Array | null,
): Promise<Uint32Array> {
  const rootOf = new Uint32Array(rows.count).fill(NONE);
  const placeOf = new Uint32Array(rows.count);
  for (const domain of DOMAINS.keys()) {
    const own = left.filter((row) => rows.domainNo(row) === domain);
    own.forEach((row, at) => {
      placeOf[row] = at;
    });
    const input: ClusterInput = {
      count: own.length,
      keysOf: (at) => rows.keys(own[at] as number),
      threshold,
      knownRoot: (at) => {
        const root = knownRoots?.[own[at] as number] ?? NONE;
        return root === NONE ? null : (placeOf[root] as number);
      },
    };
    const compared = textsToCompare(input);
    await questions.fetch(Array.from(compared, (at) => own[at] as number));
    const roots = clusterNearDuplicates(input, compared, (at) => questions.of(own[at] as number));
    own.forEach((row, at) => {
      rootOf[row] = own[roots[at] as number] as number;
    });
  }
  return rootOf;
}

/**
 * Drops rows that repeat another: equal id, equal tree or dialogue, equal question, or (within a domain, across sources) a near-duplicate question.
 * Of each cluster the best of the rows that came first stays, so that rows added later displace none. `stored` is what an earlier ingest left: only rows that are new since are set beside others.
 */
export async function dropDuplicates(
  rows: HeldRows,
  questions: Questions,
  threshold: number,
  stored: Uint8Array | null,
  ageOf: AgeOf,
): Promise<Deduplicated> {
  const dropped: DroppedRow[] = [];
  let left = rankRows(rows, ageOf);
  const leave = (reason: DroppedRow['reason'], firstLike: FirstLike): void => {
    left = left.filter((row) => {
      const representative = firstLike(row);
      if (representative !== row) dropped.push({ reason, row, representative });
      return representative === row;
    });
  };
  leave(
    'duplicate_id',
    byHash(
      rows.count,
      (row) => rows.sourceIdHash(row),
      (a, b) => rows.hasSameSourceId(a, b),
    ),
  );
  leave('duplicate_group', byUnit(rows));
  leave(
    'exact_duplicate',
    byHash(
      rows.count,
      (row) => rows.questionHash(row) & 0x7fff_ffff,
      (a, b) => rows.hasSameQuestion(a, b),
    ),
  );
  const tookPart = new Uint8Array(rows.count);
  for (const row of left) tookPart[row] = 1;
  const rootOf = await nearRoots(rows, left, questions, threshold, stored === null ? null : readClusters(rows, tookPart, stored));
  leave('near_duplicate', (row) => rootOf[row] as number);
  return { kept: left, dropped, tookPart, rootOf };
}
