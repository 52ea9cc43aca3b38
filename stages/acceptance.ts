import type { Domain } from '../schemas/levels.ts';
import { withoutAnswerContract } from './text/contract.ts';

/** Moves when the fold would keep other examples of the same outcomes: a fold that is kept beside the store stands only under its number. */
export const FOLD_VERSION = 1;

/** What the fold needs to know of a candidate at its place in the order (a row of the store's `outcomesAt` fits). `outcome` is null while pending. */
export interface FoldCandidate {
  readonly position: number;
  readonly candidateId: string;
  readonly source: string;
  readonly outcome: { readonly status: 'accepted' | 'rejected' | 'failed' | 'no_verdict' | 'retry'; readonly query: string | null } | null;
  readonly waived: boolean;
}

/** Decides near-duplicates of final queries over all domains; the fold calls `add` for every query it keeps. */
export interface NearQueries {
  isNearDuplicate(query: string): boolean;
  add(query: string): void;
}

/** How many examples a domain wants, in all and of single sources. Sources without a quota share what the quotas leave. */
export interface DomainQuota {
  readonly total: number;
  readonly bySource?: Readonly<Record<string, number>>;
  /** Position of the last candidate of each source with a quota: passing it unfilled makes the source dry and frees its share for the domain. */
  readonly lastPositionBySource?: Readonly<Record<string, number>>;
}

/** Where the fold had to stop and why: a candidate that is not final. */
export interface FoldStop {
  readonly position: number;
  readonly candidateId: string;
  readonly why: 'pending' | 'failed' | 'no_verdict';
}

export interface DomainAcceptance {
  /** In the order of positions. */
  readonly kept: readonly string[];
  readonly nearDuplicates: readonly string[];
  readonly rejected: number;
  readonly waived: readonly string[];
  /** Null when the quota is met or every candidate has been seen. */
  readonly stoppedAt: FoldStop | null;
  readonly met: boolean;
  /** Last position that decided anything, by pool (`source` with a quota, or `*` for the rest); -1 when none was considered. */
  readonly cutoffs: Readonly<Record<string, number>>;
  /** Accepted candidates behind their cut-off or behind the stop, in order: next in line, never exported. */
  readonly reserve: readonly string[];
}

/** Quotas that contradict each other; the message names the domain's numbers. */
export class QuotaError extends Error {
  override readonly name = 'QuotaError';
  readonly code = 'quota_contradiction';
}

/** Name of the pool of all sources without a quota of their own. */
export const REST_POOL = '*';

interface Pool {
  readonly quota: number;
  readonly lastPosition: number;
  filled: number;
  cutoff: number;
  dry: boolean;
}

function openPool(quota: number, lastPosition: number): Pool {
  return { quota, lastPosition, filled: 0, cutoff: -1, dry: false };
}

function openPools(quota: DomainQuota): Map<string, Pool> {
  const bySource = Object.entries(quota.bySource ?? {});
  const reserved = bySource.reduce((sum, [, wanted]) => sum + wanted, 0);
  if (reserved > quota.total)
    throw new QuotaError(`Source quotas add up to ${reserved}, more than the ${quota.total} of their domain: lower them in the config`);
  const pools = new Map(
    bySource.map(([source, wanted]) => [source, openPool(wanted, quota.lastPositionBySource?.[source] ?? Number.POSITIVE_INFINITY)]),
  );
  return pools.set(REST_POOL, openPool(quota.total - reserved, Number.POSITIVE_INFINITY));
}

/** Whether the fold may pass a candidate: it has a final verdict or was waived. */
export function isFinal(candidate: Pick<FoldCandidate, 'outcome' | 'waived'>): boolean {
  return candidate.waived || candidate.outcome?.status === 'accepted' || candidate.outcome?.status === 'rejected';
}

/** The fold over one domain. Feed candidates in the order of positions, then read the result; nothing else changes it. */
export class DomainFold {
  private readonly pools: Map<string, Pool>;
  private readonly kept: { readonly position: number; readonly id: string }[] = [];
  private readonly nearDuplicates: string[] = [];
  private readonly waived: string[] = [];
  private readonly behind: FoldCandidate[] = [];
  private rejected = 0;
  private freed = 0;
  private stop: FoldStop | null = null;

  private readonly quota: DomainQuota;
  private readonly near: NearQueries;

  constructor(quota: DomainQuota, near: NearQueries) {
    this.quota = quota;
    this.near = near;
    this.pools = openPools(quota);
  }

  /** Whether the domain has its total. */
  get met(): boolean {
    return this.kept.length >= this.quota.total;
  }

  /** Examples kept so far. */
  get keptCount(): number {
    return this.kept.length;
  }

  /** The candidate that stopped the fold; null while it can go on. */
  get stoppedAt(): FoldStop | null {
    return this.stop;
  }

  /** Whether the quotas have room for another example of a source. */
  wants(source: string): boolean {
    return !this.met && this.hasRoom(this.poolOf({ source }));
  }

  private poolOf(candidate: Pick<FoldCandidate, 'source'>): Pool {
    const pool = this.pools.get(candidate.source) ?? this.pools.get(REST_POOL);
    if (pool === undefined) throw new QuotaError('the pool of sources without a quota is missing');
    return pool;
  }

  /** Takes one candidate; those the quotas have no room for, and all behind a stop, wait in line. */
  take(candidate: FoldCandidate): void {
    if (this.stop === null && !this.met && this.hasRoom(this.poolOf(candidate))) this.decide(candidate);
    else if (!this.met || candidate.outcome?.status === 'accepted') this.behind.push(candidate);
    this.dryUp(candidate.position);
  }

  private hasRoom(pool: Pool): boolean {
    return pool.filled < pool.quota || this.freed > 0;
  }

  private decide(candidate: FoldCandidate): void {
    const { outcome, candidateId, position } = candidate;
    const status = outcome === null || outcome.status === 'retry' ? 'pending' : outcome.status;
    if (status !== 'accepted' && status !== 'rejected' && !candidate.waived) {
      this.stop = { position, candidateId, why: status };
      this.behind.push(candidate);
      return;
    }
    const pool = this.poolOf(candidate);
    pool.cutoff = position;
    if (status === 'accepted') this.keep(candidate, pool);
    else if (status === 'rejected') this.rejected += 1;
    else this.waived.push(candidateId);
  }

  private keep(candidate: FoldCandidate, pool: Pool): void {
    const query = withoutAnswerContract(candidate.outcome?.query ?? '');
    if (this.near.isNearDuplicate(query)) {
      this.nearDuplicates.push(candidate.candidateId);
      return;
    }
    this.near.add(query);
    this.kept.push({ position: candidate.position, id: candidate.candidateId });
    if (pool.filled < pool.quota) pool.filled += 1;
    else this.freed -= 1;
  }

  /** Sources whose last candidate has gone by unfilled give their share to the domain; those in line come first. */
  private dryUp(position: number): void {
    if (this.stop !== null) return;
    for (const pool of this.pools.values()) {
      if (pool.dry || pool.lastPosition > position || pool.filled >= pool.quota) continue;
      pool.dry = true;
      this.freed += pool.quota - pool.filled;
    }
    while (this.freed > 0 && this.stop === null && !this.met) {
      const next = this.behind.shift();
      if (next === undefined) return;
      this.decide(next);
    }
  }

  /** The state of the fold; candidates still in line that are accepted are the reserve. */
  result(): DomainAcceptance {
    const inLine = this.behind.filter((candidate) => candidate.outcome?.status === 'accepted');
    return {
      kept: this.kept.sort((a, b) => a.position - b.position).map((item) => item.id),
      nearDuplicates: this.nearDuplicates,
      rejected: this.rejected,
      waived: this.waived,
      stoppedAt: this.met ? null : this.stop,
      met: this.met,
      cutoffs: Object.fromEntries([...this.pools].map(([name, pool]) => [name, pool.cutoff])),
      reserve: inLine.sort((a, b) => a.position - b.position).map((candidate) => candidate.candidateId),
    };
  }
}

/**
 * The acceptance fold of DESIGN §4 over one domain's candidates in order. It advances only over final verdicts; it drops accepted
 * candidates whose query is near one already kept. Domains are folded in the order health, general, coding over one `near`.
 */
export function foldDomain(candidates: Iterable<FoldCandidate>, quota: DomainQuota, near: NearQueries): DomainAcceptance {
  const fold = new DomainFold(quota, near);
  for (const candidate of candidates) fold.take(candidate);
  return fold.result();
}

/** The same fold over candidates that come in pages. */
export async function foldDomainPages(
  pages: AsyncIterable<Iterable<FoldCandidate>>,
  quota: DomainQuota,
  near: NearQueries,
): Promise<DomainAcceptance> {
  const fold = new DomainFold(quota, near);
  for await (const page of pages) for (const candidate of page) fold.take(candidate);
  return fold.result();
}

/** The order in which domains are folded: a query near one of an earlier domain is dropped from the later one. */
export const FOLD_ORDER: readonly Domain[] = ['health', 'general', 'coding'];

/** What one domain brings to the fold of a whole build. */
export interface DomainIntake {
  readonly pages: AsyncIterable<Iterable<FoldCandidate>>;
  readonly quota: DomainQuota;
}

/** A domain's acceptance; `provisional` while an earlier domain has stopped, since what that one keeps later may drop queries here. */
export interface BuildAcceptance extends DomainAcceptance {
  readonly provisional: boolean;
}

/** The fold over all domains in FOLD_ORDER, sharing one test for near-duplicates. */
export async function foldBuild(
  intake: Readonly<Record<Domain, DomainIntake>>,
  near: NearQueries,
): Promise<Readonly<Record<Domain, BuildAcceptance>>> {
  let provisional = false;
  const folded: [Domain, BuildAcceptance][] = [];
  for (const domain of FOLD_ORDER) {
    const acceptance = await foldDomainPages(intake[domain].pages, intake[domain].quota, near);
    folded.push([domain, { ...acceptance, provisional }]);
    provisional ||= acceptance.stoppedAt !== null;
  }
  return Object.fromEntries(folded) as Record<Domain, BuildAcceptance>;
}

/** Whether a candidate is covered by an export: it was considered before its pool's cut-off, so its row in the books is final. */
export function isCovered(acceptance: DomainAcceptance, candidate: Pick<FoldCandidate, 'source' | 'position'>): boolean {
  return candidate.position <= (acceptance.cutoffs[candidate.source] ?? acceptance.cutoffs[REST_POOL] ?? -1);
}
