import type { Domain } from '../schemas/levels.ts';

/** What the fold reads of a candidate: its place and its latest verdict (null while pending). */
export interface FoldItem {
  readonly position: number;
  readonly candidateId: string;
  readonly source: string;
  readonly status: 'accepted' | 'rejected' | 'failed' | 'no_verdict' | 'retry' | null;
  /** Final query of an accepted candidate. */
  readonly query: string | null;
  /** A person let the build go on without this candidate. */
  readonly waived: boolean;
}

/** Tells whether a final query is too near to one already kept; domains share one index (health, general, coding). */
export interface QueryIndex {
  isNearDuplicate(query: string): boolean;
  add(query: string): void;
}

/** What a domain wants: an exact total, and exact totals of sources that have a quota. */
export interface DomainQuota {
  readonly domain: Domain;
  readonly total: number;
  readonly perSource: ReadonlyMap<string, number>;
}

/** How the fold took one candidate. `beyond` = its source or domain had already enough when the fold reached it. */
export type FoldDecision = 'kept' | 'near_duplicate' | 'rejected' | 'waived' | 'beyond';

/** State of the fold over one domain; `next` is the first position not folded yet. */
export interface DomainFold {
  readonly quota: DomainQuota;
  next: number;
  kept: number;
  readonly keptOfSource: Map<string, number>;
  full: boolean;
}

/** A fold at the start of a domain. */
export function startFold(quota: DomainQuota): DomainFold {
  return { quota, next: 0, kept: 0, keptOfSource: new Map(), full: quota.total === 0 };
}

/** Whether the source of a candidate has its quota already. */
export function sourceIsFull(fold: DomainFold, source: string): boolean {
  const quota = fold.quota.perSource.get(source);
  return quota !== undefined && (fold.keptOfSource.get(source) ?? 0) >= quota;
}

function decide(fold: DomainFold, item: FoldItem, index: QueryIndex): FoldDecision | null {
  if (sourceIsFull(fold, item.source)) return 'beyond';
  if (item.waived) return 'waived';
  if (item.status === 'rejected') return 'rejected';
  if (item.status !== 'accepted' || item.query === null) return null;
  return index.isNearDuplicate(item.query) ? 'near_duplicate' : 'kept';
}

/**
 * Folds candidates in their order (DESIGN §4): takes final verdicts only, stops at the first candidate without one, drops final queries
 * that are near to a kept one, and is full when the domain has its total. Calls back for every candidate it passes.
 */
export function foldItems(
  fold: DomainFold,
  items: Iterable<FoldItem>,
  index: QueryIndex,
  onDecision: (item: FoldItem, decision: FoldDecision) => void,
): void {
  for (const item of items) {
    if (fold.full) return;
    if (item.position !== fold.next)
      throw new RangeError(`the fold of ${fold.quota.domain} expected position ${fold.next}, got ${item.position}`);
    const decision = decide(fold, item, index);
    if (decision === null) return;
    fold.next += 1;
    if (decision === 'kept') {
      index.add(item.query ?? '');
      fold.kept += 1;
      fold.keptOfSource.set(item.source, (fold.keptOfSource.get(item.source) ?? 0) + 1);
      fold.full = fold.kept >= fold.quota.total;
    }
    onDecision(item, decision);
  }
}
