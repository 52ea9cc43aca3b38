import { createNearDuplicateIndex } from '../datasets/near-duplicates.ts';
import type { Config } from '../schemas/config.ts';
import { DOMAINS } from '../schemas/levels.ts';
import type { Domain } from '../schemas/levels.ts';
import type { StepId } from '../schemas/steps.ts';
import { foldItems, startFold } from '../stages/acceptance.ts';
import type { DomainFold, DomainQuota, FoldItem, QueryIndex } from '../stages/acceptance.ts';
import { withoutAnswerContract } from '../stages/text/contract.ts';
import type { PositionOutcome, RunRow, Store } from '../store/port.ts';

/** A candidate that fell out before its domain's cut-off: ids, step and reason, no text. */
export interface FoldedRejection {
  readonly candidateId: string;
  readonly source: string;
  readonly sourceDataset: string;
  readonly sourceId: string;
  readonly step: StepId | 'acceptance';
  readonly reason: string;
}

/** The exact fold over a whole build: what the dataset consists of. */
export interface StoredFold {
  /** Ids of kept examples, in the order health, general, coding and candidate order. */
  readonly kept: readonly string[];
  readonly rejected: readonly FoldedRejection[];
  readonly folds: Readonly<Record<Domain, DomainFold>>;
  /** Accepted candidates beyond the cut-offs. */
  readonly reserve: number;
}

/** Positions read at a time. */
const PAGE = 1000;

/** Final queries are compared like the questions of rows, without the answer contract of coding queries. */
export function createQueryIndex(threshold: number): QueryIndex {
  const index = createNearDuplicateIndex(threshold);
  return {
    isNearDuplicate: (query) => index.isNearDuplicate(withoutAnswerContract(query)),
    add: (query) => void index.add(withoutAnswerContract(query)),
  };
}

/** What a config wants of a domain. */
export function quotaOf(config: Config, domain: Domain): DomainQuota {
  const perSource = new Map(config.sources.flatMap((source) => (source.quota === undefined ? [] : [[source.name, source.quota] as const])));
  return { domain, total: config.target[domain], perSource };
}

/** A stored outcome as the fold reads it. */
export function foldItem(item: PositionOutcome): FoldItem {
  const { outcome } = item;
  return {
    position: item.position,
    candidateId: item.candidateId,
    source: item.source,
    status: outcome?.status ?? null,
    query: outcome?.query ?? null,
    waived: item.waived,
  };
}

/** Candidates of a domain in an order. */
export async function domainSize(store: Store, orderId: string, domain: Domain): Promise<number> {
  return (await store.candidateCounts(orderId)).filter((item) => item.domain === domain).reduce((sum, item) => sum + item.count, 0);
}

interface Collected {
  readonly kept: string[];
  readonly rejected: { readonly item: PositionOutcome; readonly reason: string; readonly step: FoldedRejection['step'] }[];
}

async function foldDomain(
  store: Store,
  run: RunRow,
  config: Config,
  domain: Domain,
  index: QueryIndex,
  into: Collected,
): Promise<DomainFold> {
  const fold = startFold(quotaOf(config, domain));
  const size = await domainSize(store, run.orderId, domain);
  for (let from = 0; from < size && !fold.full && fold.next === from; from += PAGE) {
    const page = await store.outcomesAt(run.orderId, run.pipelineHash, domain, from, Math.min(size, from + PAGE));
    const byPosition = new Map(page.map((item) => [item.position, item]));
    foldItems(fold, page.map(foldItem), index, (folded, decision) => {
      const item = byPosition.get(folded.position);
      if (item === undefined) return;
      if (decision === 'kept') into.kept.push(item.candidateId);
      else if (decision === 'near_duplicate') into.rejected.push({ item, step: 'acceptance', reason: 'near_duplicate_query' });
      else if (decision === 'rejected')
        into.rejected.push({ item, step: item.outcome?.step ?? 'screen', reason: item.outcome?.reason ?? '' });
      else if (decision === 'waived')
        into.rejected.push({ item, step: item.outcome?.step ?? 'screen', reason: `waived_${item.outcome?.reason ?? 'failed'}` });
    });
  }
  return fold;
}

async function named(store: Store, run: RunRow, collected: Collected): Promise<readonly FoldedRejection[]> {
  const rejections: FoldedRejection[] = [];
  for (const { item, step, reason } of collected.rejected) {
    const stored = await store.candidateById(run.orderId, item.candidateId);
    rejections.push({
      candidateId: item.candidateId,
      source: item.source,
      sourceDataset: stored?.candidate.row.sourceDataset ?? '',
      sourceId: stored?.candidate.row.sourceId ?? '',
      step,
      reason,
    });
  }
  return rejections;
}

async function acceptedInAll(store: Store, run: RunRow): Promise<number> {
  const counts = await store.stepCounts(run.pipelineHash, run.orderId);
  return counts.filter((item) => item.status === 'accepted').reduce((sum, item) => sum + item.count, 0);
}

/** The exact acceptance fold of a build, recomputed from the store: domains in the order health, general, coding share one query index. */
export async function foldStored(store: Store, run: RunRow, config: Config): Promise<StoredFold> {
  const index = createQueryIndex(config.screening.nearDuplicateJaccard);
  const collected: Collected = { kept: [], rejected: [] };
  const folds: Partial<Record<Domain, DomainFold>> = {};
  for (const domain of DOMAINS) folds[domain] = await foldDomain(store, run, config, domain, index, collected);
  const nearDuplicates = collected.rejected.filter((item) => item.step === 'acceptance').length;
  return {
    kept: collected.kept,
    rejected: await named(store, run, collected),
    folds: folds as Record<Domain, DomainFold>,
    reserve: (await acceptedInAll(store, run)) - collected.kept.length - nearDuplicates,
  };
}
