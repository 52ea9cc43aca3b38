import type { Domain } from '../../schemas/levels.ts';
import { DomainFold, isCovered, isFinal } from '../../stages/acceptance.ts';
import type { DomainAcceptance, FoldCandidate, NearQueries } from '../../stages/acceptance.ts';
import { launchable, repeatReach } from '../../stages/launch.ts';
import { expectationOf, isSureToFall } from '../../stages/plan/profile.ts';
import type { Expectation } from '../../stages/plan/profile.ts';
import type { PositionOutcome } from '../../store/port.ts';
import { domainSize, quotaOf } from '../fold-stored.ts';
import type { CandidatePlan } from './candidate-plan.ts';
import type { PlanRates } from './measures.ts';
import { pastsOf, planPage } from './walk-page.ts';
import type { Past, Walker } from './walk.ts';
import type { World } from './world.ts';

/** An open candidate with what is expected of it. */
export interface PlannedCandidate {
  readonly plan: CandidatePlan;
  readonly expectation: Expectation | null;
  /** The same at both ends of what a sample measured; null where nothing was. */
  readonly range: { readonly low: Expectation; readonly high: Expectation } | null;
  /** True when every build that ends must decide it: it lies before the earliest possible cut-off. */
  readonly isCertain: boolean;
  /** True when it lies within what the build is expected to launch. */
  readonly isExpected: boolean;
}

/** What a build has to do in one domain. */
export interface DomainPlan {
  readonly domain: Domain;
  readonly candidates: readonly PlannedCandidate[];
  /** Final under this pipeline already. */
  readonly done: number;
  /** Candidates behind those walked that could be launched if everything before them were rejected. */
  readonly beyond: number;
  /** The acceptance if every open candidate were accepted. */
  readonly best: DomainAcceptance;
  readonly wanted: number;
  /** Candidates without a verdict that stop the fold until `retry` or `waive`. */
  readonly blocked: number;
}

const isOpen = (item: PositionOutcome): boolean => !isFinal(item) && (item.outcome === null || item.outcome.status === 'retry');

/** Positions read at a time, and how many of them are planned at a time: a walk that has enough ends there. */
const READ = 2000;
const PAGE = 500;

interface ReadPage {
  readonly items: readonly PositionOutcome[];
  readonly pasts: ReadonlyMap<string, Past>;
}

async function readPage(world: World, domain: Domain, from: number, to: number): Promise<ReadPage> {
  const items = await world.store.outcomesAt(world.order.id, world.pipelineHash, domain, from, to);
  return { items, pasts: await pastsOf(world, items.filter(isOpen)) };
}

/** Candidates of a domain in order with what earlier pipelines left of the open ones; the next are read while some are looked at. */
class DomainReader {
  readonly #read: (from: number) => Promise<ReadPage> | null;
  #from = 0;
  #next: Promise<ReadPage> | null;

  constructor(world: World, domain: Domain, size: number) {
    this.#read = (from) => {
      if (from >= size) return null;
      const page = readPage(world, domain, from, Math.min(size, from + READ));
      // Whoever takes it later hears of a failure; until then it must not count as unheard.
      page.catch(() => undefined);
      return page;
    };
    this.#next = this.#read(0);
  }

  async *pages(): AsyncGenerator<{ readonly page: readonly PositionOutcome[]; readonly pasts: ReadonlyMap<string, Past> }> {
    while (this.#next !== null) {
      const { items, pasts } = await this.#next;
      this.#from += READ;
      this.#next = this.#read(this.#from);
      for (let at = 0; at < items.length; at += PAGE) yield { page: items.slice(at, at + PAGE), pasts };
    }
  }

  /** Waits for what is still being read, so that nobody closes the store under it. */
  async end(): Promise<void> {
    await this.#next?.catch(() => undefined);
  }
}

/** Stands for the query of a candidate that is not made yet: near to nothing. */
const UNWRITTEN = '\u0000unwritten';

/** Leaves out what is not written yet; `near` decides the rest. */
function openEyed(near: NearQueries): NearQueries {
  return {
    isNearDuplicate: (query) => !query.startsWith(UNWRITTEN) && near.isNearDuplicate(query),
    add: (query) => {
      if (!query.startsWith(UNWRITTEN)) near.add(query);
    },
  };
}

function foldCandidate(item: PositionOutcome, plan: CandidatePlan | undefined): FoldCandidate {
  const { position, candidateId, source, waived } = item;
  if (plan === undefined) {
    const blocked = item.outcome !== null && !isFinal(item);
    return { position, candidateId, source, waived, outcome: blocked ? { status: 'accepted', query: UNWRITTEN } : item.outcome };
  }
  const end = plan.end !== null && (plan.end.status === 'accepted' || plan.end.status === 'rejected') ? plan.end : null;
  return {
    position,
    candidateId,
    source,
    waived,
    outcome: {
      status: end?.status ?? (isSureToFall(plan.needs) ? 'rejected' : 'accepted'),
      query: end === null ? UNWRITTEN : (end.query ?? ''),
    },
  };
}

interface Tally {
  done: number;
  blocked: number;
  /** Examples expected behind the best possible cut-off, less those expected to be missing before it. */
  balance: number;
  verdicts: number;
  accepted: number;
}

function tallyEnd(
  tally: Tally,
  item: PositionOutcome,
  plan: CandidatePlan | undefined,
  expectation: Expectation | null,
  isBehind: boolean,
): void {
  const status = plan === undefined ? (item.outcome?.status ?? 'retry') : (plan.end?.status ?? 'open');
  if (plan === undefined) tally.done += 1;
  if (status === 'failed' || status === 'no_verdict') tally.blocked += item.waived ? 0 : 1;
  if (status === 'accepted' || status === 'rejected') tally.verdicts += 1;
  if (status === 'accepted') tally.accepted += 1;
  const chance = status === 'accepted' ? 1 : (expectation?.accepted ?? 0);
  if (isBehind) tally.balance += chance;
  else if (plan !== undefined && expectation !== null && !isSureToFall(plan.needs)) tally.balance -= 1 - chance;
}

type Expected = Pick<PlannedCandidate, 'expectation' | 'range'>;

const NOTHING_EXPECTED: Expected = { expectation: null, range: null };

/** What is expected of a candidate; those of one profile share it, so it is worked out once for each. */
function expecting(rates: PlanRates): (plan: CandidatePlan | undefined) => Expected {
  const known = new WeakMap<CandidatePlan['needs'], Expected>();
  return (plan) => {
    if (plan === undefined || plan.first === null) return NOTHING_EXPECTED;
    const before = known.get(plan.needs);
    if (before !== undefined) return before;
    const { ends } = rates;
    const expected: Expected = {
      expectation: expectationOf(plan, plan.needs, rates),
      range: ends === null ? null : { low: expectationOf(plan, plan.needs, ends.low), high: expectationOf(plan, plan.needs, ends.high) },
    };
    known.set(plan.needs, expected);
    return expected;
  };
}

/** Open candidates the launch rule starts at once, whatever their verdicts turn out to be; ones that ended before come first and may be enough. */
async function firstWave(world: World, tally: Tally, total: number, size: number, open: readonly CandidatePlan[]): Promise<number> {
  const { chunkSize, window } = world.spec.config.construction;
  const need = total - tally.accepted;
  const state = {
    need,
    verdicts: tally.verdicts,
    accepted: tally.accepted,
    inFlight: 0,
    oldestOpen: 0,
    next: 0,
    supply: size,
    window,
    chunkSize,
  };
  const earlier = await world.store.planning.earlierEnds(open.map((plan) => plan.candidateId));
  // Those whose end is known already count among the accepted.
  const reach = repeatReach(
    need,
    open.map((plan) => (plan.end === null ? (earlier.get(plan.candidateId) ?? null) : null)),
  );
  return Math.min(launchable(state).count, reach ?? open.length);
}

/**
 * Walks a domain in its order until the build is expected to have met its quota, and folds it as if everything open were accepted:
 * what that fold needs is certain, what it does not is only expected or possible.
 */
export async function planDomain(
  world: World,
  walker: Walker,
  domain: Domain,
  near: NearQueries,
  ratesOfAll: Promise<PlanRates>,
): Promise<DomainPlan> {
  const { store, order, spec } = world;
  const quota = await quotaOf(store, order.id, spec.config, domain);
  const size = await domainSize(store, order.id, domain);
  const reader = new DomainReader(world, domain, size);
  const fold = new DomainFold(quota, openEyed(near));
  const tally: Tally = { done: 0, blocked: 0, balance: 0, verdicts: 0, accepted: 0 };
  const isEnough = (): boolean => fold.met && tally.balance >= -1e-9;
  const walked: Omit<PlannedCandidate, 'isCertain'>[] = [];
  let at = 0;
  try {
    const expect = expecting(await ratesOfAll);
    for await (const { page, pasts } of reader.pages()) {
      if (isEnough()) break;
      at += PAGE;
      const plans = new Map(
        (await planPage(world, walker, domain, page.filter(isOpen), { pasts })).map((plan) => [plan.candidateId, plan]),
      );
      for (const item of page) {
        const plan = plans.get(item.candidateId);
        const isExpected = !isEnough() && (fold.met || fold.wants(item.source));
        const expected = expect(plan);
        if (isExpected) tallyEnd(tally, item, plan, expected.expectation, fold.met);
        fold.take(foldCandidate(item, plan));
        if (plan !== undefined) walked.push({ plan, ...expected, isExpected });
      }
    }
  } finally {
    await reader.end();
  }
  const best = fold.result();
  const asks = walked.some(({ plan, isExpected }) => isExpected && plan.first !== null);
  const open = walked.map(({ plan }) => plan);
  const wave = asks ? await firstWave(world, tally, quota.total, size, open) : 0;
  return {
    domain,
    candidates: walked.map((item, index) => ({
      ...item,
      isExpected: item.isExpected || index < wave,
      isCertain: isCovered(best, item.plan),
    })),
    done: tally.done,
    beyond: best.met && !asks ? 0 : Math.max(0, size - at),
    best,
    wanted: quota.total,
    blocked: tally.blocked,
  };
}
