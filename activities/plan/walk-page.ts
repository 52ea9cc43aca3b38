import { STEPS } from '../../schemas/steps.ts';
import type { StepId } from '../../schemas/steps.ts';
import type { Domain } from '../../schemas/levels.ts';
import { PLAN_VERSION } from '../../stages/block-plan-tables.ts';
import { mostParts } from '../../stages/plan/bounds.ts';
import type { PositionOutcome, StepOutputRow, StoredCandidate } from '../../store/port.ts';
import type { CandidatePlan } from './candidate-plan.ts';
import { samplesAt, sharedSteps, standingEnd } from './walk.ts';
import { retriesOf } from '../reopened.ts';
import { firstByPlan } from './first-by-plan.ts';
import type { OpenCandidate, WalkedByPlan } from './first-by-plan.ts';
import type { Past, Walker } from './walk.ts';
import type { World } from './world.ts';

/** What earlier pipelines left of the candidates of a page, from the first pipeline that has anything. */
export async function pastsOf(world: World, items: readonly PositionOutcome[]): Promise<ReadonlyMap<string, Past>> {
  const pasts = new Map<string, Past>();
  for (const baseline of world.baselines) {
    const missing = items.filter(({ candidateId }) => !pasts.has(candidateId));
    if (missing.length === 0) break;
    const rowHashes = new Map(missing.map(({ candidateId, rowHash }) => [candidateId, rowHash]));
    const trails = await world.store.planning.trails(baseline.hash, [...rowHashes.keys()]);
    for (const trail of trails) if (rowHashes.get(trail.candidateId) === trail.rowHash) pasts.set(trail.candidateId, { baseline, trail });
  }
  return pasts;
}

function beforeOf(past: Past | null): CandidatePlan['before'] {
  if (past === null) return 'none';
  const { status } = past.trail;
  return status === 'accepted' || status === 'rejected' ? status : 'other';
}

const NO_CALLS = { calls: [], parts: 0, samples: 0, laterParts: new Map<StepId, number>() } as const;

function assemble(
  walker: Walker,
  item: PositionOutcome,
  domain: Domain,
  past: Past | null,
  walked: WalkedByPlan,
  samples: number,
): CandidatePlan {
  const profile = walker.profiles.of(past, walked.settled, walked.first);
  const later = [...profile.needs].filter(([, need]) => need === 'mayRun').map(([step]) => step);
  const { candidateId, position, source } = item;
  const { calls, parts, end, workpiece } = walked;
  const laterParts = new Map(later.map((step) => [step, mostParts(step, workpiece)]));
  return { ...profile, candidateId, domain, position, source, calls, parts, samples, end, before: beforeOf(past), laterParts };
}

function standing(walker: Walker, item: PositionOutcome, domain: Domain, past: Past, shared: number): CandidatePlan | null {
  const end = standingEnd(shared, past);
  if (end === null) return null;
  const last = STEPS.indexOf(past.trail.step);
  const settled = STEPS.slice(0, last + 1).map((step) => ({ step, need: 'reused' as const }));
  const { candidateId, position, source } = item;
  return { ...walker.profiles.of(past, settled, null), ...NO_CALLS, candidateId, domain, position, source, end, before: beforeOf(past) };
}

/** How closely a page is looked at: `exact` walks every candidate, so that each call is named by its part. */
export interface PageOptions {
  readonly exact?: boolean;
  /** What earlier pipelines left of the candidates, where it was read for several pages at once. */
  readonly pasts?: ReadonlyMap<string, Past>;
}

/** Plans the open candidates of one page: those whose past path stands without reading any text, the others by walking their steps. */
export async function planPage(
  world: World,
  walker: Walker,
  domain: Domain,
  items: readonly PositionOutcome[],
  options: PageOptions = {},
): Promise<readonly CandidatePlan[]> {
  if (items.length === 0) return [];
  const [pasts, retries] = await Promise.all([options.pasts ?? pastsOf(world, items), retriesOf(world.store, world.pipelineHash, items)]);
  const shared = new Map(world.baselines.map((baseline) => [baseline.hash, sharedSteps(world, baseline, PLAN_VERSION)]));
  const plans: CandidatePlan[] = [];
  const unsettled: OpenCandidate[] = [];
  for (const item of items) {
    const past = pasts.get(item.candidateId) ?? null;
    const same = past === null ? 0 : (shared.get(past.baseline.hash) ?? 0);
    const stands = past === null ? null : standing(walker, item, domain, past, same);
    if (stands !== null) plans.push(stands);
    else unsettled.push({ item, past, prefix: Math.min(same, past?.trail.keys.length ?? 0) });
  }
  const known = options.exact === true ? new Map<string, WalkedByPlan>() : await firstByPlan(world, domain, unsettled);
  for (const { item, past } of unsettled) {
    const end = known.get(item.candidateId);
    if (end !== undefined)
      plans.push(assemble(walker, item, domain, past, end, samplesAt(end.first, retries.get(item.candidateId) ?? new Map())));
  }
  const open = unsettled.filter(({ item }) => !known.has(item.candidateId));
  if (open.length === 0) return plans.sort((a, b) => a.position - b.position);
  const keys = open.flatMap(({ past, prefix }) => past?.trail.keys.slice(0, prefix) ?? []);
  const from = open[0]?.item.position ?? 0;
  const [outputs, rows] = await Promise.all([
    world.store.planning.outputsByKey(keys),
    world.store.candidates(world.order.id, domain, from, (open.at(-1)?.item.position ?? from) + 1),
  ]);
  const byKey = new Map<string, StepOutputRow>(outputs.map((row) => [row.key, row]));
  const byId = new Map<string, StoredCandidate>(rows.map((row) => [row.candidate.id, row]));
  const walked = await Promise.all(
    open.map(async ({ item, past, prefix }) => {
      const stored = byId.get(item.candidateId);
      if (stored === undefined) throw new Error(`candidate ${item.candidateId} stands in no order`);
      const own = retries.get(item.candidateId) ?? new Map<StepId, number>();
      const end = await walker.walk({ item: stored, past, outputs: byKey, retries: own }, prefix);
      return assemble(walker, item, domain, past, end, samplesAt(end.first, own));
    }),
  );
  return [...plans, ...walked].sort((a, b) => a.position - b.position);
}
