import { createNearDuplicateIndex } from '../datasets/near-duplicates.ts';
import type { Config } from '../schemas/config.ts';
import { DOMAINS } from '../schemas/levels.ts';
import type { Domain } from '../schemas/levels.ts';
import type { StepId } from '../schemas/steps.ts';
import { DomainFold, isCovered, isFinal } from '../stages/acceptance.ts';
import type { DomainAcceptance, DomainQuota, NearQueries } from '../stages/acceptance.ts';
import type { PositionOutcome, RunRow, Store } from '../store/port.ts';

/** A candidate that fell out before its cut-off: ids, step and reason, no text. */
export interface FoldedRejection {
  readonly candidateId: string;
  readonly sourceDataset: string;
  readonly sourceId: string;
  readonly step: StepId | 'acceptance';
  readonly reason: string;
}

/** The exact fold over a whole build: what the dataset consists of. */
export interface StoredFold {
  /** Ids of kept examples, in the order health, general, coding and candidate order. */
  readonly kept: readonly string[];
  readonly domains: Readonly<Record<Domain, DomainAcceptance>>;
  /** Accepted candidates beyond the cut-offs. */
  readonly reserve: number;
}

/** Whose outcomes are folded: those of a pipeline over an order; earlier pipelines, the first of them first, stand in where it has no final verdict. */
export type FoldScope = Pick<RunRow, 'orderId' | 'pipelineHash'> & { readonly earlier?: readonly string[] };

/** Positions read at a time. */
const PAGE = 1000;

/** Near-duplicate index of final queries at the configured threshold; the fold itself leaves the answer contract out. */
export function createNearQueries(threshold: number): NearQueries {
  const index = createNearDuplicateIndex(threshold);
  return { isNearDuplicate: (query) => index.isNearDuplicate(query), add: (query) => void index.add(query) };
}

/** Candidates of a domain in an order. */
export async function domainSize(store: Store, orderId: string, domain: Domain): Promise<number> {
  return (await store.candidateCounts(orderId)).filter((item) => item.domain === domain).reduce((sum, item) => sum + item.count, 0);
}

/** A page in which a verdict of another pipeline stands wherever none is final yet. */
async function withVerdictsOf(
  store: Store,
  orderId: string,
  pipelineHash: string,
  domain: Domain,
  page: readonly PositionOutcome[],
): Promise<readonly PositionOutcome[]> {
  const open = page.filter((item) => !isFinal(item)).map(({ position }) => position);
  const [first, last] = [open[0], open.at(-1)];
  if (first === undefined || last === undefined) return page;
  const others = await store.outcomesAt(orderId, pipelineHash, domain, first, last + 1);
  const decided = new Map(others.filter((item) => isFinal({ ...item, waived: false })).map((item) => [item.position, item]));
  return page.map((item) => (isFinal(item) ? item : (decided.get(item.position) ?? item)));
}

/** Outcomes of a domain in order, page by page, from a position on. */
export async function* outcomePages(
  store: Store,
  run: FoldScope,
  domain: Domain,
  size: number,
  pageSize: number = PAGE,
): AsyncGenerator<readonly PositionOutcome[]> {
  for (let from = 0; from < size; from += pageSize) {
    let page = await store.outcomesAt(run.orderId, run.pipelineHash, domain, from, Math.min(size, from + pageSize));
    for (const pipelineHash of run.earlier ?? []) page = await withVerdictsOf(store, run.orderId, pipelineHash, domain, page);
    yield page;
  }
}

/** What a config wants of a domain; `lastPositionBySource` is read from the order when sources have quotas. */
export async function quotaOf(store: Store, orderId: string, config: Config, domain: Domain): Promise<DomainQuota> {
  const total = config.target[domain];
  const counts = (await store.candidateCounts(orderId)).filter((item) => item.domain === domain);
  const quotas = config.sources.flatMap((source) =>
    source.quota === undefined || !counts.some((item) => item.source === source.name) ? [] : [[source.name, source.quota] as const],
  );
  if (quotas.length === 0) return { total };
  const last = await store.lastPositions(orderId, domain);
  return {
    total,
    bySource: Object.fromEntries(quotas),
    lastPositionBySource: Object.fromEntries(last.map((item) => [item.source, item.position])),
  };
}

/** Folds one whole domain from its beginning. */
export async function foldDomainStored(
  store: Store,
  run: FoldScope,
  config: Config,
  domain: Domain,
  near: NearQueries,
): Promise<DomainFold> {
  const fold = new DomainFold(await quotaOf(store, run.orderId, config, domain), near);
  for await (const page of outcomePages(store, run, domain, await domainSize(store, run.orderId, domain)))
    for (const item of page) fold.take(item);
  return fold;
}

/** The exact acceptance fold of a build, recomputed from the store: domains in the order health, general, coding share one query index. */
export async function foldStored(store: Store, run: FoldScope, config: Config): Promise<StoredFold> {
  const near = createNearQueries(config.screening.nearDuplicateJaccard);
  const domains: Partial<Record<Domain, DomainAcceptance>> = {};
  for (const domain of DOMAINS) domains[domain] = (await foldDomainStored(store, run, config, domain, near)).result();
  const all = domains as Record<Domain, DomainAcceptance>;
  return {
    kept: DOMAINS.flatMap((domain) => all[domain].kept),
    domains: all,
    reserve: DOMAINS.reduce((sum, domain) => sum + all[domain].reserve.length, 0),
  };
}

function rejectionOf(
  item: PositionOutcome,
  near: ReadonlySet<string>,
): { readonly step: FoldedRejection['step']; readonly reason: string } | null {
  if (near.has(item.candidateId)) return { step: 'acceptance', reason: 'near_duplicate_query' };
  const { outcome } = item;
  if (outcome?.status === 'rejected') return { step: outcome.step, reason: outcome.reason };
  if (item.waived) return { step: outcome?.step ?? 'screen', reason: `waived_${outcome?.reason ?? 'failed'}` };
  return null;
}

/** Candidates that fell out up to the cut-offs of the fold, in order, with the source row they came from. */
export async function* foldedRejections(store: Store, run: FoldScope, fold: StoredFold): AsyncGenerator<FoldedRejection> {
  for (const domain of DOMAINS) {
    const acceptance = fold.domains[domain];
    const near = new Set(acceptance.nearDuplicates);
    const kept = new Set(acceptance.kept);
    for await (const page of outcomePages(store, run, domain, await domainSize(store, run.orderId, domain))) {
      const fallen = page.flatMap((item) => {
        const rejection = kept.has(item.candidateId) || !isCovered(acceptance, item) ? null : rejectionOf(item, near);
        return rejection === null ? [] : [{ item, rejection }];
      });
      if (fallen.length === 0) continue;
      const rows = await store.candidates(run.orderId, domain, page[0]?.position ?? 0, (page.at(-1)?.position ?? 0) + 1);
      const byId = new Map(rows.map(({ candidate }) => [candidate.id, candidate.row]));
      for (const { item, rejection } of fallen) {
        const row = byId.get(item.candidateId);
        yield { candidateId: item.candidateId, sourceDataset: row?.sourceDataset ?? '', sourceId: row?.sourceId ?? '', ...rejection };
      }
    }
  }
}
