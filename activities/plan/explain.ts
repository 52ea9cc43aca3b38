import { STEPS } from '../../schemas/steps.ts';
import type { StepId } from '../../schemas/steps.ts';
import { STEP_READS } from '../../stages/step-reads.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import { isFinal } from '../../stages/acceptance.ts';
import type { CandidatePlan } from './candidate-plan.ts';
import type { StepMeasure } from './measures.ts';
import type { DomainPlan } from './walk-domain.ts';
import { planPage } from './walk-page.ts';
import { Walker } from './walk.ts';
import type { World } from './world.ts';

/** What a plan means for one candidate, a line per step. */
export interface Explanation {
  readonly candidateId: string;
  readonly domain: string;
  readonly position: number;
  readonly source: string;
  /** Whether the build is expected to launch it. */
  readonly launched: 'final' | 'certain' | 'expected' | 'refill';
  readonly end: string;
  readonly steps: readonly { readonly step: StepId; readonly need: string; readonly why: string; readonly calls: readonly string[] }[];
}

function whyOf(plan: CandidatePlan, step: StepId, rate: number): string {
  const need = plan.needs.get(step) ?? 'unreached';
  if (need === 'reused') return 'same version, same input: the stored verdict stands';
  if (need === 'free') return 'decided anew from stored replies';
  if (need === 'unreached') return 'the candidate ends before';
  const own = plan.changed.has(step) ? 'its version changed' : null;
  if (need === 'runs') return own ?? (plan.had.has(step) ? 'its input changed' : 'it never ran');
  const moved = STEP_READS[step].filter((read) => ['runs', 'mayRun'].includes(plan.needs.get(read) ?? ''));
  const may =
    moved.length === 0 ? [] : [`it reads ${moved.join(', ')}, which may change (${Math.round(rate * 100)} % did on earlier edits)`];
  return [...(own === null ? [] : [own]), ...(plan.had.has(step) ? [] : ['it never ran']), ...may].join('; ');
}

function explain(plan: CandidatePlan, launched: Explanation['launched'], measures: ReadonlyMap<StepId, StepMeasure>): Explanation {
  return {
    candidateId: plan.candidateId,
    domain: plan.domain,
    position: plan.position,
    source: plan.source,
    launched,
    end: plan.end === null ? 'open' : `${plan.end.status}${plan.end.reason === '' ? '' : ` (${plan.end.reason})`}`,
    steps: STEPS.map((step) => ({
      step,
      need: plan.needs.get(step) ?? 'unreached',
      why: whyOf(plan, step, measures.get(step)?.cutOff.changeRate ?? 1),
      calls: step === plan.first ? plan.calls.map(({ partId }) => partId) : [],
    })),
  };
}

/** What a plan does to one candidate and why; null when the sources hold no such candidate. */
export async function explainCandidate(
  world: World,
  domains: readonly DomainPlan[],
  measures: ReadonlyMap<StepId, StepMeasure>,
  candidateId: string,
): Promise<Explanation | null> {
  const found = domains.flatMap(({ candidates }) => candidates).find(({ plan }) => plan.candidateId === candidateId);
  const stored = await world.store.candidateById(world.order.id, candidateId);
  if (stored === null) return null;
  const { domain, position } = stored.candidate;
  const page = await world.store.outcomesAt(world.order.id, world.pipelineHash, domain, position, position + 1);
  const [item] = page;
  if (item === undefined || !DOMAINS.includes(domain)) return null;
  const [plan] = await planPage(world, new Walker(world), domain, [item], { exact: true });
  if (plan === undefined) return null;
  const launched =
    found === undefined ? (isFinal(item) ? 'final' : 'refill') : found.isCertain ? 'certain' : found.isExpected ? 'expected' : 'refill';
  return explain(plan, launched, measures);
}
