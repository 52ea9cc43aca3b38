import { DOMAINS } from '../../schemas/levels.ts';
import { isSettled, keptFold } from '../kept-fold.ts';
import type { DomainPlan } from './walk-domain.ts';
import type { World } from './world.ts';

/** The domains of a world in which an earlier build left nothing to do: its kept fold says so without a look at any candidate; else null. */
export async function settledDomains(world: World): Promise<readonly DomainPlan[] | null> {
  const { store, order, pipelineHash, spec } = world;
  const fold = await keptFold(store, { orderId: order.id, pipelineHash }, spec.config);
  if (fold === null || !isSettled(fold)) return null;
  return DOMAINS.map((domain) => {
    const best = fold.domains[domain];
    const done = best.kept.length + best.nearDuplicates.length + best.rejected + best.waived.length;
    return { domain, candidates: [], done, beyond: 0, best, wanted: spec.config.target[domain], blocked: 0 };
  });
}
