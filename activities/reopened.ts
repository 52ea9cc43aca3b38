import type { StepId } from '../schemas/steps.ts';
import type { PositionOutcome, Store } from '../store/port.ts';

/** How often each step of a candidate was reopened because it gave no verdict, by candidate; candidates that were not have no entry. */
export async function retriesOf(
  store: Store,
  pipelineHash: string,
  items: readonly Pick<PositionOutcome, 'candidateId' | 'outcome'>[],
): Promise<ReadonlyMap<string, ReadonlyMap<StepId, number>>> {
  const reopened = items.filter(({ outcome }) => outcome?.status === 'retry').map(({ candidateId }) => candidateId);
  const retries = new Map<string, Map<StepId, number>>();
  if (reopened.length === 0) return retries;
  for (const { candidateId, step, count } of await store.retryCounts(pipelineHash, reopened, 'cannot_tell'))
    retries.set(candidateId, new Map(retries.get(candidateId)).set(step, count));
  return retries;
}
