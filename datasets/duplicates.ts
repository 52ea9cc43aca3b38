import type { RowMeasures } from '../schemas/candidate.ts';
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Best first: higher score, then lower id, then earlier place; a total order, so the outcome never depends on the order of reading. */
function byRank(a: ScreenedRow, b: ScreenedRow): number {
  return (
    b.measures.qualityScore - a.measures.qualityScore ||
    compare(a.id, b.id) ||
    compare(a.row.origin.file, b.row.origin.file) ||
    a.row.origin.row - b.row.origin.row
  );
}

interface Rule {
  readonly reason: string;
  readonly detail: (kept: ScreenedRow) => string;
  /** Rows with equal keys are one; null keys are never compared. */
  readonly key: (item: ScreenedRow) => string | null;
}

const place = ({ row }: ScreenedRow): string => `${row.sourceId} (${row.origin.file}, row ${row.origin.row})`;

/** Whether a source id was made from the row's content, so that equal ids mean equal rows. */
function isContentId(sourceId: string): boolean {
  return /:[0-9a-f]{16}$/.test(sourceId);
}

const RULES: readonly Rule[] = [
  {
    reason: 'duplicate_id',
    detail: (kept) => `Another row has the same id: ${place(kept)}.`,
    key: ({ row }) => (isContentId(row.sourceId) ? null : row.sourceId),
  },
  {
    reason: 'duplicate_group',
    detail: (kept) => `Its tree or dialogue is already represented by ${place(kept)}.`,
    key: ({ row }) => (/^(?:oasst|ultrachat):/.test(row.groupKey) ? row.groupKey : null),
  },
  {
    reason: 'exact_duplicate',
    detail: (kept) => `The same question stands in ${place(kept)}.`,
    key: ({ row }) => `${row.domain}:${words(row.question).join(' ')}`,
  },
];

function rejectionOf({ row }: ScreenedRow, reason: string, detail: string): RowRejection {
  return { source: row.source, sourceDataset: row.sourceDataset, sourceId: row.sourceId, reason, detail, origin: row.origin };
}

/** A row that repeats another, and the one that stays in its place. */
export interface DroppedRow {
  readonly rejection: RowRejection;
  readonly row: SourceRow;
  readonly representative: SourceRow;
}

/** Drops rows that repeat another: equal id, equal tree or dialogue, equal question, or (within a domain, across sources) a near-duplicate question. The best row of each cluster stays. */
export function dropDuplicates(
  rows: readonly ScreenedRow[],
  threshold: number,
): { readonly kept: readonly ScreenedRow[]; readonly dropped: readonly DroppedRow[] } {
  const dropped: DroppedRow[] = [];
  const drop = (item: ScreenedRow, kept: ScreenedRow, reason: string, detail: string): void =>
    void dropped.push({ rejection: rejectionOf(item, reason, detail), row: item.row, representative: kept.row });
  let left = [...rows].sort(byRank);
  for (const { reason, detail, key } of RULES) {
    const first = new Map<string, ScreenedRow>();
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
  const kept: ScreenedRow[] = [];
  for (const domain of DOMAINS) {
    const own = left.filter(({ row }) => row.domain === domain);
    const roots = clusterNearDuplicates(own.length, (at) => own[at]?.row.question ?? '', threshold);
    own.forEach((item, at) => {
      const best = own[roots[at] ?? at];
      if (best === undefined || best === item) kept.push(item);
      else drop(item, best, 'near_duplicate', `Its question is nearly that of ${place(best)}.`);
    });
  }
  return { kept, dropped };
}
