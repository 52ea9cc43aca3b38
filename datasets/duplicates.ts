import type { RowMeasures } from '../schemas/candidate.ts';
import { sha256Hex } from '../schemas/hash.ts';
import { DOMAINS } from '../schemas/levels.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import { words } from '../stages/text/words.ts';
import { clusterNearDuplicates } from './near-duplicates.ts';

/** A row that passed deterministic screening, with the id of the candidate it may become. */
export interface ScreenedRow {
  readonly id: string;
  readonly row: SourceRow;
  readonly measures: RowMeasures;
  /** Identifiers masked in it, by kind. */
  readonly masked: Readonly<Record<string, number>>;
}

/** What is held in memory of a screened row while all rows are compared: no text of it, so that a million fit. */
export interface HeldRow extends Pick<SourceRow, 'source' | 'sourceDataset' | 'sourceId' | 'domain' | 'origin'> {
  readonly id: string;
  readonly measures: RowMeasures;
  readonly masked: Readonly<Record<string, number>>;
  /** Tree or dialogue of which one row is taken; null where every row may stand. */
  readonly unit: string | null;
  /** Digest of domain and word sequence of the question: equal for equal questions. */
  readonly questionKey: string;
  /** Where its text was put aside. */
  readonly place: number;
}

const NOTHING_MASKED: HeldRow['masked'] = {};

/** What is held of a screened row whose text lies at a place. */
export function heldRow({ id, row, measures, masked }: ScreenedRow, place: number): HeldRow {
  const { source, sourceDataset, sourceId, domain, origin, groupKey, question } = row;
  return {
    source,
    sourceDataset,
    sourceId,
    domain,
    origin,
    id,
    measures,
    masked: Object.keys(masked).length === 0 ? NOTHING_MASKED : masked,
    unit: /^(?:oasst|ultrachat):/.test(groupKey) ? groupKey : null,
    questionKey: sha256Hex(`${domain}:${words(question).join(' ')}`).slice(0, 32),
    place,
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Best first: higher score, then lower id, then earlier place; a total order, so the outcome never depends on the order of reading. */
function byRank(a: HeldRow, b: HeldRow): number {
  return (
    b.measures.qualityScore - a.measures.qualityScore ||
    compare(a.id, b.id) ||
    compare(a.origin.file, b.origin.file) ||
    a.origin.row - b.origin.row
  );
}

interface Rule {
  readonly reason: string;
  readonly detail: (kept: HeldRow) => string;
  /** Rows with equal keys are one; null keys are never compared. */
  readonly key: (item: HeldRow) => string | null;
}

const placeOf = ({ sourceId, origin }: HeldRow): string => `${sourceId} (${origin.file}, row ${origin.row})`;

/** Whether a source id was made from the row's content, so that equal ids mean equal rows. */
function isContentId(sourceId: string): boolean {
  return /:[0-9a-f]{16}$/.test(sourceId);
}

const RULES: readonly Rule[] = [
  {
    reason: 'duplicate_id',
    detail: (kept) => `Another row has the same id: ${placeOf(kept)}.`,
    key: ({ sourceId }) => (isContentId(sourceId) ? null : sourceId),
  },
  {
    reason: 'duplicate_group',
    detail: (kept) => `Its tree or dialogue is already represented by ${placeOf(kept)}.`,
    key: ({ unit }) => unit,
  },
  {
    reason: 'exact_duplicate',
    detail: (kept) => `The same question stands in ${placeOf(kept)}.`,
    key: ({ questionKey }) => questionKey,
  },
];

function rejectionOf({ source, sourceDataset, sourceId, origin }: HeldRow, reason: string, detail: string): RowRejection {
  return { source, sourceDataset, sourceId, reason, detail, origin };
}

/** A row that repeats another, and the one that stays in its place. */
export interface DroppedRow {
  readonly rejection: RowRejection;
  readonly item: HeldRow;
  readonly representative: HeldRow;
}

/**
 * Drops rows that repeat another: equal id, equal tree or dialogue, equal question, or (within a domain, across sources) a near-duplicate question.
 * The best row of each cluster stays. `questionAt` reads a question back from where it was put aside.
 */
export function dropDuplicates(
  rows: readonly HeldRow[],
  questionAt: (place: number) => string,
  threshold: number,
): { readonly kept: readonly HeldRow[]; readonly dropped: readonly DroppedRow[] } {
  const dropped: DroppedRow[] = [];
  const drop = (item: HeldRow, representative: HeldRow, reason: string, detail: string): void =>
    void dropped.push({ rejection: rejectionOf(item, reason, detail), item, representative });
  let left: readonly HeldRow[] = [...rows].sort(byRank);
  for (const { reason, detail, key } of RULES) {
    const first = new Map<string, HeldRow>();
    left = left.filter((item) => {
      const name = key(item);
      if (name === null) return true;
      const kept = first.get(name);
      if (kept === undefined) {
        first.set(name, item);
        return true;
      }
      drop(item, kept, reason, detail(kept));
      return false;
    });
  }
  const kept: HeldRow[] = [];
  for (const domain of DOMAINS) {
    const own = left.filter((item) => item.domain === domain);
    const roots = clusterNearDuplicates(own.length, (at) => questionAt(own[at]?.place ?? 0), threshold);
    own.forEach((item, at) => {
      const best = own[roots[at] ?? at];
      if (best === undefined || best === item) kept.push(item);
      else drop(item, best, 'near_duplicate', `Its question is nearly that of ${placeOf(best)}.`);
    });
  }
  return { kept, dropped };
}
