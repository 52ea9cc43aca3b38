import type { ExampleRecord } from '../../schemas/record.ts';
import type { NearQueryIndex } from './near-query.ts';
import type { Finding } from './violation.ts';
import { comparableText } from './wording.ts';

export type Split = 'train' | 'test';
const OTHER: Readonly<Record<Split, Split>> = { train: 'test', test: 'train' };

/** What ties a record to its source: absent on imports without provenance. */
export interface Origin {
  readonly source_dataset?: string | undefined;
  readonly source_id?: string | undefined;
  readonly group_key?: string | undefined;
}

interface SplitMemory {
  readonly rows: Map<string, string>;
  readonly groups: Map<string, string>;
  readonly near: NearQueryIndex;
}

/** Remembers the records kept so far and finds what a new one shares with them; holds keys and numbers, never whole records. */
export class AcrossRecords {
  private readonly ids = new Set<string>();
  private readonly queries = new Map<string, string>();
  private readonly splits: Readonly<Record<Split, SplitMemory>>;

  constructor(newIndex: () => NearQueryIndex) {
    const memory = (): SplitMemory => ({ rows: new Map(), groups: new Map(), near: newIndex() });
    this.splits = { train: memory(), test: memory() };
  }

  /** Whether a record of this id was kept. */
  has(id: string): boolean {
    return this.ids.has(id);
  }

  *check(record: ExampleRecord, split: Split, origin: Origin): Generator<Finding> {
    if (this.ids.has(record.id)) yield { rule: 'ids_unique_over_splits', detail: 'the id stands on an earlier record' };
    const twin = this.queries.get(comparableText(record.question));
    if (twin !== undefined) yield { rule: 'queries_unique', detail: `same query as ${twin}` };
    const other = this.splits[OTHER[split]];
    const row = rowKey(origin);
    const sameRow = row === null ? undefined : other.rows.get(row);
    if (sameRow !== undefined) yield { rule: 'splits_disjoint_by_source_id', detail: `same source row as ${sameRow} in ${OTHER[split]}` };
    const sameGroup = origin.group_key === undefined ? undefined : other.groups.get(origin.group_key);
    if (sameGroup !== undefined) yield { rule: 'splits_disjoint_by_group_key', detail: `same group as ${sameGroup} in ${OTHER[split]}` };
    const near = other.near.matches(record.question)[0];
    if (near !== undefined) yield { rule: 'splits_disjoint_by_near_query', detail: `near-duplicate of ${near} in ${OTHER[split]}` };
  }

  add(record: ExampleRecord, split: Split, origin: Origin): void {
    const { rows, groups, near } = this.splits[split];
    this.ids.add(record.id);
    this.queries.set(comparableText(record.question), record.id);
    const row = rowKey(origin);
    if (row !== null) rows.set(row, record.id);
    if (origin.group_key !== undefined) groups.set(origin.group_key, record.id);
    near.add(record.id, record.question);
  }
}

function rowKey(origin: Origin): string | null {
  return origin.source_id === undefined ? null : JSON.stringify([origin.source_dataset ?? null, origin.source_id]);
}
