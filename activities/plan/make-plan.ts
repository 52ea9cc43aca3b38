import { hashOf } from '../../schemas/hash.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import type { Domain } from '../../schemas/levels.ts';
import { STEPS } from '../../schemas/steps.ts';
import { foldStored, createNearQueries } from '../fold-stored.ts';
import { keptFold } from '../kept-fold.ts';
import { readSpec } from '../read-spec.ts';
import { settledDomains } from './settled.ts';
import { measure, ratesOf } from './measures.ts';
import type { StepMeasure } from './measures.ts';
import type { DomainLine, Plan, PlanWorld, StepLine } from './plan.ts';
import { reasonsOf } from './reasons.ts';
import { stepLine } from './tally.ts';
import { overBudgets, timeAtLimits } from './time-and-budget.ts';
import { planDomain } from './walk-domain.ts';
import type { DomainPlan } from './walk-domain.ts';
import { Walker } from './walk.ts';
import type { World } from './world.ts';

/** A plan with the candidates it is made of. */
export interface PlannedBuild {
  readonly plan: Plan;
  readonly domains: readonly DomainPlan[];
  readonly measures: ReadonlyMap<StepLine['step'], StepMeasure>;
}

/** Accepted examples behind the cut-offs of the last build, by domain. */
async function reservesBefore(world: World): Promise<ReadonlyMap<Domain, ReadonlySet<string>>> {
  const { before, store } = world;
  if (before === null) return new Map();
  const spec = await readSpec(store, before.id);
  const fold = (await keptFold(store, before, spec.config)) ?? (await foldStored(store, before, spec.config));
  return new Map(DOMAINS.map((domain) => [domain, new Set(fold.domains[domain].reserve)]));
}

function domainLine(domain: DomainPlan, reserve: ReadonlySet<string> | undefined): DomainLine {
  const expected = domain.candidates.filter((item) => item.isExpected);
  const { best } = domain;
  return {
    domain: domain.domain,
    wanted: domain.wanted,
    done: domain.done,
    settled: expected.filter(({ plan }) => plan.first === null).length,
    toAsk: expected.filter(({ plan }) => plan.first !== null).length,
    refills: domain.candidates.length - expected.length + domain.beyond,
    reserve: reserve?.size ?? 0,
    reserveUsed: best.kept.filter((id) => reserve?.has(id) === true).length,
    blocked: domain.blocked,
  };
}

/** What a plan rests on, without its figures. */
export function worldOf(world: World, domains: readonly DomainPlan[]): PlanWorld {
  const { config } = world.spec;
  const work = domains.flatMap(({ candidates }) =>
    candidates
      .filter((item) => item.isExpected)
      .map(({ plan }) => [plan.candidateId, plan.first, plan.calls.length, plan.end?.status ?? null]),
  );
  return {
    pipelineHash: world.pipelineHash,
    orderId: world.order.id,
    steps: Object.fromEntries([...world.steps].map(([id, { version }]) => [id, version])),
    target: config.target,
    quotas: Object.fromEntries(config.sources.flatMap(({ name, quota }) => (quota === undefined ? [] : [[name, quota] as const]))),
    work: hashOf(work),
  };
}

/** The cost of all steps together; null where a price is unknown. */
export function sumMoney(steps: readonly StepLine[]): Plan['money'] {
  const all = steps.map((line) => line.money).filter((money) => money !== null);
  if (all.length < steps.length) return null;
  const sum = (pick: (money: (typeof all)[number]) => number): number => all.reduce((total, money) => total + pick(money), 0);
  // Errors of steps are independent: their squares add up.
  const spread = Math.sqrt(all.reduce((total, money) => total + (money.high - money.expected) ** 2, 0));
  const expected = sum((money) => money.expected);
  return {
    lower: sum((money) => money.lower),
    low: Math.max(0, Math.round(expected - spread)),
    expected,
    high: Math.round(expected + spread),
    upper: sum((money) => money.upper),
    refillUpper: sum((money) => money.refillUpper),
  };
}

/** Domains in the order of the acceptance fold, which share one test for near-duplicates. */
async function walkAll(world: World, measures: Promise<PlannedBuild['measures']>): Promise<readonly DomainPlan[]> {
  const near = createNearQueries(world.spec.config.screening.nearDuplicateJaccard);
  const rates = measures.then((known) => ratesOf(world, known));
  // Whoever awaits them hears of a failure; a walk that fails before must not leave it unheard.
  rates.catch(() => undefined);
  const walker = new Walker(world);
  const domains: DomainPlan[] = [];
  for (const domain of DOMAINS) domains.push(await planDomain(world, walker, domain, near, rates));
  return domains;
}

/** Computes what a build that started now would do, from the ledger and stored outputs alone. */
export async function makePlan(world: World, clock: () => number, notes: readonly string[]): Promise<PlannedBuild> {
  const { store, spec } = world;
  const settled = await settledDomains(world);
  // With nothing to ask there is nothing to price: the ledger is not even looked at.
  const measured = settled === null ? measure(world) : Promise.resolve(new Map<StepLine['step'], StepMeasure>());
  const domains = settled ?? (await walkAll(world, measured));
  const measures = await measured;
  const steps = STEPS.map((step) => stepLine(domains, step, measures.get(step)));
  const total = (pick: (line: StepLine) => number): number => steps.reduce((sum, line) => sum + pick(line), 0);
  const money = sumMoney(steps);
  const overBudget = await overBudgets(world, steps, money, clock());
  const open = domains.some(({ candidates }) => candidates.some((item) => item.isExpected));
  const { before } = world;
  const reasons = await reasonsOf(world);
  const mayDraw = open || reasons.some(({ kind }) => kind === 'fold');
  const reserves = mayDraw ? await reservesBefore(world) : new Map<Domain, ReadonlySet<string>>();
  const releases = before === null ? [] : (await store.releases()).filter((release) => release.runId === before.id);
  const movedOn = before !== null && before.pipelineHash !== world.pipelineHash;
  const unpriced = [
    ...new Set([...measures.values()].flatMap(({ costs }) => costs.filter(({ price }) => price === null).map(({ model }) => model))),
  ];
  const plan: Plan = {
    format: 'memcalib-plan-1',
    label: spec.label,
    madeAt: clock(),
    verdict: overBudget.length > 0 ? 'over_budget' : open ? 'work' : 'nothing',
    world: worldOf(world, domains),
    comparedWith: before === null ? null : { runId: before.id, pipelineHash: before.pipelineHash },
    reasons,
    domains: domains.map((domain) => domainLine(domain, reserves.get(domain.domain))),
    steps,
    calls: {
      lower: total((line) => line.calls.lower),
      expected: total((line) => line.calls.expected),
      upper: total((line) => line.calls.upper),
      refill: total((line) => line.refillCalls),
    },
    money,
    unpriced,
    timeMs: timeAtLimits(world, steps, measures),
    overBudget,
    stale: { waivers: movedOn ? await store.planning.waiverCount(before.pipelineHash) : 0, releases: movedOn ? releases.length : 0 },
    sample: world.sample === null ? null : { rows: world.sample.ids.length },
    notes,
  };
  return { plan, domains, measures };
}
