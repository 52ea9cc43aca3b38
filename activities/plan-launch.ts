import { DOMAINS } from '../schemas/levels.ts';
import type { Domain } from '../schemas/levels.ts';
import { DomainFold, isFinal } from '../stages/acceptance.ts';
import type { NearQueries } from '../stages/acceptance.ts';
import { nextChunkSize, repeatReach } from '../stages/launch.ts';
import type { LaunchState } from '../stages/launch.ts';
import type { PositionOutcome, Store } from '../store/port.ts';
import type { ChunkRef, LaunchPlan } from '../workflows/types.ts';
import { createNearQueries, domainSize, foldDomainStored, foldStored, quotaOf } from './fold-stored.ts';
import { isSettled, keepFold, keptFold } from './kept-fold.ts';
import type { RunContext } from './run-context.ts';
import type { RunContexts } from './run-contexts.ts';

/** Decides what to start next; keeps the folds of a run in memory and advances them only, so that a look costs what is new. */
export interface LaunchPlanner {
  plan(runId: string, inFlight: readonly ChunkRef[]): Promise<LaunchPlan>;
}

interface DomainView {
  /** How candidates in reach last ended under any pipeline; null: never. Looked up once each. */
  readonly earlier: Map<string, 'accepted' | 'rejected' | null>;
  fold: DomainFold;
  /** First position the fold has not taken. */
  next: number;
  readonly size: number;
  readonly hasQuotas: boolean;
  /** Final verdicts the fold has passed, and how many of them were accepted: the yield. */
  verdicts: number;
  accepted: number;
}

interface RunView {
  readonly near: NearQueries;
  readonly domains: ReadonlyMap<Domain, DomainView>;
}

interface DomainPlan {
  readonly chunks: readonly ChunkRef[];
  /** Complete, dry, or stuck on failed candidates; null while work is in flight or to be started. */
  readonly end: 'complete' | 'dry' | 'stuck' | null;
  readonly failed: number;
}

async function openView(run: RunContext, store: Store): Promise<RunView> {
  const near = createNearQueries(run.spec.config.screening.nearDuplicateJaccard);
  const domains = new Map<Domain, DomainView>();
  for (const domain of DOMAINS) {
    const quota = await quotaOf(store, run.orderId, run.spec.config, domain);
    const size = await domainSize(store, run.orderId, domain);
    domains.set(domain, {
      earlier: new Map(),
      fold: new DomainFold(quota, near),
      next: 0,
      size,
      hasQuotas: quota.bySource !== undefined,
      verdicts: 0,
      accepted: 0,
    });
  }
  return { near, domains };
}

/** Takes final candidates in order and stops before the first one the fold would have to wait for. */
function advance(view: DomainView, items: readonly PositionOutcome[]): void {
  for (const item of items) {
    if (item.position !== view.next || view.fold.met) return;
    if (!isFinal(item) && view.fold.wants(item.source)) return;
    view.fold.take(item);
    view.next += 1;
    if (isFinal(item)) view.verdicts += 1;
    if (item.outcome?.status === 'accepted') view.accepted += 1;
  }
}

/** Source quotas can send the fold back to candidates it passed: then it is folded anew, up to its first open candidate. */
async function refold(run: RunContext, store: Store, view: DomainView, domain: Domain): Promise<void> {
  const near = createNearQueries(run.spec.config.screening.nearDuplicateJaccard);
  view.fold = await foldDomainStored(store, run, run.spec.config, domain, near);
  view.next = view.fold.stoppedAt?.position ?? view.size;
}

const isOpen = (item: PositionOutcome): boolean => !isFinal(item) && (item.outcome === null || item.outcome.status === 'retry');
const isBlocked = (item: PositionOutcome): boolean => !isFinal(item) && !isOpen(item);

function cutChunks(domain: Domain, startable: readonly number[], state: LaunchState): readonly ChunkRef[] {
  const chunks: ChunkRef[] = [];
  let taken = 0;
  while (taken < startable.length) {
    const size = nextChunkSize({ ...state, inFlight: state.inFlight + taken, next: startable[taken] ?? state.supply });
    if (size === 0) break;
    chunks.push({ domain, positions: startable.slice(taken, taken + size) });
    taken += size;
  }
  const nothingElse = chunks.length === 0 && state.inFlight === 0;
  return nothingElse && startable.length > 0 ? [{ domain, positions: startable.slice(0, state.chunkSize) }] : chunks;
}

/** Open candidates that may be started, and how many are to be in flight: those the fold comes to first if each ends as it did before. */
interface Startable {
  readonly positions: readonly number[];
  readonly wanted?: number;
}

async function startableOf(
  store: Store,
  view: DomainView,
  ahead: readonly PositionOutcome[],
  missing: number,
  flying: ReadonlySet<number>,
): Promise<Startable> {
  const unknown = ahead.filter((item) => isOpen(item) && !view.earlier.has(item.candidateId)).map((item) => item.candidateId);
  const ends = unknown.length === 0 ? null : await store.planning.earlierEnds(unknown);
  for (const id of unknown) view.earlier.set(id, ends?.get(id) ?? null);
  const reach = repeatReach(
    missing,
    ahead.map((item) => {
      if (isFinal(item)) return item.outcome?.status === 'accepted' ? 'accepted' : 'rejected';
      return isOpen(item) ? (view.earlier.get(item.candidateId) ?? null) : null;
    }),
  );
  const open = ahead.slice(0, reach ?? ahead.length).filter(isOpen);
  const positions = open.map((item) => item.position).filter((position) => !flying.has(position));
  return reach === null ? { positions } : { positions, wanted: open.length };
}

async function planDomain(run: RunContext, store: Store, view: RunView, domain: Domain, flying: ReadonlySet<number>): Promise<DomainPlan> {
  const of = view.domains.get(domain);
  if (of === undefined) throw new Error(`no view of domain ${domain}`);
  const { chunkSize, window } = run.spec.config.construction;
  if (of.hasQuotas) await refold(run, store, of, domain);
  const reach = (): Promise<readonly PositionOutcome[]> =>
    store.outcomesAt(run.orderId, run.pipelineHash, domain, of.next, Math.min(of.size, of.next + window * chunkSize));
  let items = await reach();
  // The window moves with the fold: what it reaches now was not read before.
  for (let moved = !of.hasQuotas; moved;) {
    const before = of.next;
    advance(of, items);
    moved = of.next > before;
    if (moved) items = await reach();
  }
  if (of.fold.met) return { chunks: [], end: 'complete', failed: 0 };
  const ahead = items.filter((item) => item.position >= of.next && of.fold.wants(item.source));
  const ended = ahead.filter(isFinal);
  const acceptedAhead = ended.filter((item) => item.outcome?.status === 'accepted').length;
  const missing = run.spec.config.target[domain] - of.fold.keptCount;
  const startable = await startableOf(store, of, ahead, missing, flying);
  const chunks = cutChunks(domain, startable.positions, {
    need: missing - acceptedAhead,
    ...(startable.wanted !== undefined && { wanted: startable.wanted }),
    verdicts: of.verdicts + ended.length,
    accepted: of.accepted + acceptedAhead,
    inFlight: flying.size,
    oldestOpen: of.next,
    next: of.next,
    supply: of.size,
    window,
    chunkSize,
  });
  const failed = ahead.filter(isBlocked).length;
  if (chunks.length > 0 || flying.size > 0) return { chunks, end: null, failed };
  if (of.next >= of.size) return { chunks, end: 'dry', failed };
  return { chunks, end: failed > 0 ? 'stuck' : null, failed };
}

/** The incremental folds met verdicts in whatever order they came; the exact fold decides whether the build is done. */
async function confirmEnd(run: RunContext, store: Store): Promise<boolean> {
  const exact = await foldStored(store, run, run.spec.config);
  if (!isSettled(exact)) return false;
  await keepFold(store, run, run.spec.config, exact);
  return true;
}

/** The end of a build that finds everything decided: its fold was kept by an earlier one and still stands. */
async function endBefore(run: RunContext, store: Store): Promise<LaunchPlan | null> {
  const fold = await keptFold(store, run, run.spec.config);
  if (fold === null || !isSettled(fold)) return null;
  const kept = (domain: Domain): number => fold.domains[domain].kept.length;
  const accepted = { health: kept('health'), general: kept('general'), coding: kept('coding') };
  const verdict = DOMAINS.every((domain) => fold.domains[domain].met) ? 'complete' : 'dry';
  return { launch: [], accepted, verdict, reason: '' };
}

function stuckReason(plans: readonly DomainPlan[]): string {
  const failed = plans.reduce((sum, plan) => sum + plan.failed, 0);
  return `${failed} candidates failed or got no verdict and hold the build back: \`memcalib status\` says why; then \`memcalib retry --failed\` or \`memcalib waive --failed\``;
}

/** The launch planner over one store. */
export function createLaunchPlanner(deps: { readonly store: Store; readonly contexts: RunContexts }): LaunchPlanner {
  const views = new Map<string, RunView>();
  const plan = async (runId: string, inFlight: readonly ChunkRef[], again: boolean): Promise<LaunchPlan> => {
    const run = await deps.contexts.get(runId);
    if (!views.has(runId) && inFlight.length === 0 && !again) {
      const end = await endBefore(run, deps.store);
      if (end !== null) return end;
    }
    const view = views.get(runId) ?? (await openView(run, deps.store));
    views.set(runId, view);
    const plans: DomainPlan[] = [];
    for (const domain of DOMAINS) {
      const flying = new Set(inFlight.filter((chunk) => chunk.domain === domain).flatMap((chunk) => chunk.positions));
      plans.push(await planDomain(run, deps.store, view, domain, flying));
    }
    const kept = (domain: Domain): number => view.domains.get(domain)?.fold.keptCount ?? 0;
    const accepted = { health: kept('health'), general: kept('general'), coding: kept('coding') };
    const launch = plans.flatMap((item) => item.chunks);
    if (launch.length > 0 || inFlight.length > 0) return { launch, accepted, verdict: 'working', reason: '' };
    if (plans.some((item) => item.end === 'stuck')) return { launch, accepted, verdict: 'stuck', reason: stuckReason(plans) };
    if (plans.some((item) => item.end === null) || !(await confirmEnd(run, deps.store))) {
      if (again) throw new Error(`run ${runId}: the exact fold is not done, but nothing is left to start`);
      views.delete(runId);
      return plan(runId, inFlight, true);
    }
    return { launch, accepted, verdict: plans.every((item) => item.end === 'complete') ? 'complete' : 'dry', reason: '' };
  };
  return { plan: (runId, inFlight) => plan(runId, inFlight, false) };
}
