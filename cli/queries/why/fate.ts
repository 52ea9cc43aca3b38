import type { StoredFold } from '../../../activities/fold-stored.ts';
import { isCovered, REST_POOL } from '../../../stages/acceptance.ts';
import { withoutAnswerContract } from '../../../stages/text/contract.ts';
import type { TracedOutcome } from '../../../store/lineage-port.ts';
import type { Store, StoredCandidate } from '../../../store/port.ts';
import type { KnownRun } from '../run-of.ts';

/** Where a row stands with regard to the dataset. */
export const FATES = [
  'in_dataset',
  'reserve',
  'behind_stop',
  'near_duplicate',
  'rejected',
  'failed',
  'no_verdict',
  'waived',
  'under_way',
  'not_launched',
  'set_aside',
  'withdrawn',
] as const;
export type FateState = (typeof FATES)[number];

/** Whether a row made it, where and why not, and what would bring it in. `step` and `reason` are null where nothing was decided. */
export interface Fate {
  readonly state: FateState;
  readonly step: string | null;
  readonly reason: string | null;
  readonly sentence: string;
  /** What would bring it in; empty when it is in. */
  readonly next: string;
}

/** What the fate of a candidate is read from. */
export interface FateFacts {
  readonly store: Store;
  readonly known: KnownRun;
  readonly fold: StoredFold;
  readonly stored: StoredCandidate;
  /** Its outcome under this pipeline and row; null while there is none. */
  readonly outcome: TracedOutcome | null;
  readonly hasBegun: boolean;
}

const PAGE = 500;

async function nearestKept({
  store,
  known,
  fold,
  outcome,
}: FateFacts): Promise<{ readonly id: string; readonly similarity: number } | null> {
  const { textSimilarity } = await import('../../../datasets/shingle-sets.ts');
  const query = withoutAnswerContract(outcome?.query ?? '');
  let best: { readonly id: string; readonly similarity: number } | null = null;
  for (let at = 0; at < fold.kept.length; at += PAGE) {
    for (const kept of await store.outcomes(known.run, fold.kept.slice(at, at + PAGE))) {
      const similarity = textSimilarity(query, withoutAnswerContract(kept.query ?? ''));
      if (best === null || similarity > best.similarity) best = { id: kept.candidateId, similarity };
    }
  }
  return best;
}

function quotaText({ known, fold, stored }: FateFacts): { readonly quota: string; readonly raise: string; readonly cutoff: number } {
  const { domain, row } = stored.candidate;
  const source = known.spec.config.sources.find((item) => item.name === row.source);
  const { cutoffs } = fold.domains[domain];
  const own = source?.quota !== undefined && cutoffs[row.source] !== undefined;
  return {
    quota: own ? `the ${source.quota} of source ${row.source}` : `the ${known.spec.config.target[domain]} of ${domain}`,
    raise: own ? `sources ${row.source}.quota` : `target.${domain}`,
    cutoff: cutoffs[own ? row.source : REST_POOL] ?? -1,
  };
}

async function acceptedFate(facts: FateFacts): Promise<Fate> {
  const { fold, stored } = facts;
  const { domain, id, position } = stored.candidate;
  const acceptance = fold.domains[domain];
  const base = { step: null, reason: null } as const;
  if (acceptance.kept.includes(id))
    return { ...base, state: 'in_dataset', sentence: `It is in the dataset (${domain}, position ${position} of the order).`, next: '' };
  if (acceptance.nearDuplicates.includes(id)) {
    const near = await nearestKept(facts);
    const of = near === null ? 'one kept before it' : `that of ${near.id} (similarity ${near.similarity.toFixed(2)}), kept before it`;
    return {
      state: 'near_duplicate',
      step: 'acceptance',
      reason: 'near_duplicate_query',
      sentence: `It passed every step, but its query is a near-duplicate of ${of}.`,
      next: 'Nothing but another query: a changed row or derive prompt. screening.nearDuplicateJaccard sets the threshold.',
    };
  }
  const stop = acceptance.stoppedAt;
  if (stop !== null && stop.position < position)
    return {
      ...base,
      state: 'behind_stop',
      sentence: `It passed every step and waits behind ${stop.candidateId} (position ${stop.position}), which is ${stop.why}.`,
      next: stop.why === 'pending' ? 'Type `memcalib build` to go on.' : 'Type `memcalib retry --failed` or `memcalib waive --failed`.',
    };
  const { quota, raise } = quotaText(facts);
  return {
    ...base,
    state: 'reserve',
    sentence: `It passed every step and waits in reserve: ${quota} were met before its turn (position ${position}).`,
    next: `Raise ${raise} in the config and type \`memcalib build\`: nothing is asked again.`,
  };
}

function openFate(facts: FateFacts): Fate {
  const { stored, fold, hasBegun } = facts;
  const { domain, position } = stored.candidate;
  const base = { step: null, reason: null } as const;
  if (hasBegun)
    return {
      ...base,
      state: 'under_way',
      sentence: `It was begun and has no end yet (position ${position} of ${domain}).`,
      next: 'Type `memcalib build` to go on; what is stored is not asked again.',
    };
  const { quota, raise, cutoff } = quotaText(facts);
  const covered = isCovered(fold.domains[domain], { source: stored.candidate.row.source, position });
  return covered || !fold.domains[domain].met
    ? {
        ...base,
        state: 'not_launched',
        sentence: `It was not launched yet (position ${position} of ${domain}).`,
        next: 'Type `memcalib build` to go on.',
      }
    : {
        ...base,
        state: 'not_launched',
        sentence: `It was not launched: ${quota} were met at position ${cutoff}, and it stands at position ${position}.`,
        next: `Raise ${raise} in the config; its turn comes with its position.`,
      };
}

/** The fate of a candidate in a build. */
export async function fateOf(facts: FateFacts): Promise<Fate> {
  const { outcome, fold, stored } = facts;
  const waived = fold.domains[stored.candidate.domain].waived.includes(stored.candidate.id);
  if (outcome === null || outcome.status === 'retry') return openFate(facts);
  if (outcome.status === 'accepted') return acceptedFate(facts);
  const { step, reason, detail } = outcome;
  const why = detail === '' ? reason : `${reason}: ${detail}`;
  if (outcome.status === 'rejected')
    return {
      state: 'rejected',
      step,
      reason,
      sentence: `It was rejected at ${step} (${why}).`,
      next: `A rejection is final for this row, prompt and model: a changed row, or an edit of ${step} or of a step before it, runs it again.`,
    };
  if (waived)
    return {
      state: 'waived',
      step,
      reason,
      sentence: `It failed at ${step} (${why}) and was waived: the build went on without it.`,
      next: 'A waiver holds for this pipeline; an edit of its prompts or models runs it again.',
    };
  return {
    state: outcome.status,
    step,
    reason,
    sentence: `It ${outcome.status === 'failed' ? 'failed' : 'got no verdict'} at ${step} (${why}).`,
    next: 'Type `memcalib retry --failed`, then `memcalib build`.',
  };
}
