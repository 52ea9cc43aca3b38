import { DOMAINS } from '../schemas/levels.ts';
import type { Domain } from '../schemas/levels.ts';
import { foldItems, sourceIsFull, startFold } from '../stages/acceptance.ts';
import type { DomainFold, QueryIndex } from '../stages/acceptance.ts';
import { launchHorizon, mayLaunch } from '../stages/launch.ts';
import type { PositionOutcome, Store } from '../store/port.ts';
import type { ChunkRef, LaunchPlan } from '../workflows/types.ts';
import { createQueryIndex, domainSize, foldItem, foldStored, quotaOf } from './fold-stored.ts';
import type { RunContext } from './run-context.ts';
import type { RunContexts } from './run-contexts.ts';

/** Decides what to start next; keeps the folds of a run in memory and advances them only, so that a look costs what is new. */
export interface LaunchPlanner {
  plan(runId: string, inFlight: readonly ChunkRef[]): Promise<LaunchPlan>;
}

interface DomainView {
  readonly fold: DomainFold;
  readonly size: number;
  /** Candidates folded so far that a person let go, or that were kept, rejected or dropped: the verdicts of the yield. */
  verdicts: number;
  accepted: number;
}

interface RunView {
  readonly index: QueryIndex;
  readonly domains: Readonly<Record<Domain, DomainView>>;
}

interface DomainPlan {
  readonly chunks: readonly ChunkRef[];
  /** Complete, dry, or why nothing more can be started; null while work is in flight or to be started. */
  readonly end: 'complete' | 'dry' | 'stuck' | null;
  readonly failed: number;
}

async function openView(run: RunContext, store: Store): Promise<RunView> {
  const { config } = run.spec;
  const view = async (domain: Domain): Promise<DomainView> => ({
    fold: startFold(quotaOf(config, domain)),
    size: await domainSize(store, run.orderId, domain),
    verdicts: 0,
    accepted: 0,
  });
  return {
    index: createQueryIndex(config.screening.nearDuplicateJaccard),
    domains: { health: await view('health'), general: await view('general'), coding: await view('coding') },
  };
}

function advance(view: DomainView, index: QueryIndex, items: readonly PositionOutcome[]): void {
  foldItems(view.fold, items.map(foldItem), index, (item, decision) => {
    if (decision === 'beyond') return;
    view.verdicts += 1;
    if (item.status === 'accepted') view.accepted += 1;
  });
}

const isOpen = (item: PositionOutcome): boolean => !item.waived && (item.outcome === null || item.outcome.status === 'retry');
const isBlocked = (item: PositionOutcome): boolean =>
  !item.waived && (item.outcome?.status === 'failed' || item.outcome?.status === 'no_verdict');

function cut(domain: Domain, positions: readonly number[], chunkSize: number): readonly ChunkRef[] {
  const chunks: ChunkRef[] = [];
  for (let at = 0; at < positions.length; at += chunkSize) chunks.push({ domain, positions: positions.slice(at, at + chunkSize) });
  return chunks;
}

async function planDomain(run: RunContext, store: Store, view: RunView, domain: Domain, flying: ReadonlySet<number>): Promise<DomainPlan> {
  const { chunkSize, window } = run.spec.config.construction;
  const of = view.domains[domain];
  const reach = Math.min(of.size, launchHorizon(of.fold.next, { chunkSize, window }));
  const items = await store.outcomesAt(run.orderId, run.pipelineHash, domain, of.fold.next, reach);
  advance(of, view.index, items);
  if (of.fold.full) return { chunks: [], end: 'complete', failed: 0 };
  const ahead = items.filter((item) => item.position >= of.fold.next && !sourceIsFull(of.fold, item.source));
  const ended = ahead.filter((item) => item.outcome !== null && !isOpen(item) && !isBlocked(item));
  const acceptedAhead = ended.filter((item) => item.outcome?.status === 'accepted' && !item.waived).length;
  const room = mayLaunch({
    target: of.fold.quota.total,
    kept: of.fold.kept,
    acceptedAhead,
    verdicts: of.verdicts + ended.length,
    accepted: of.accepted + acceptedAhead,
    inFlight: flying.size,
    chunkSize,
    window,
  });
  const startable = ahead.filter((item) => isOpen(item) && !flying.has(item.position)).map((item) => item.position);
  const first = startable[0];
  const oldestStuck = first !== undefined && first === of.fold.next && flying.size === 0 && room === 0;
  const positions = startable.slice(0, oldestStuck ? 1 : room);
  const chunks = cut(domain, positions, chunkSize);
  const failed = ahead.filter(isBlocked).length;
  if (chunks.length > 0 || flying.size > 0) return { chunks, end: null, failed };
  if (of.fold.next >= of.size) return { chunks, end: 'dry', failed };
  return failed > 0 ? { chunks, end: 'stuck', failed } : { chunks, end: null, failed };
}

/** The incremental folds ran domain by domain in whatever order verdicts came; the exact fold decides whether the build is done. */
async function confirmEnd(run: RunContext, store: Store): Promise<boolean> {
  const known = await store.run(run.runId);
  if (known === null) return false;
  const exact = await foldStored(store, known, run.spec.config);
  for (const domain of DOMAINS) {
    const fold = exact.folds[domain];
    if (!fold.full && fold.next < (await domainSize(store, run.orderId, domain))) return false;
  }
  return true;
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
    const view = views.get(runId) ?? (await openView(run, deps.store));
    views.set(runId, view);
    const plans: DomainPlan[] = [];
    for (const domain of DOMAINS) {
      const flying = new Set(inFlight.filter((chunk) => chunk.domain === domain).flatMap((chunk) => chunk.positions));
      plans.push(await planDomain(run, deps.store, view, domain, flying));
    }
    const accepted = {
      health: view.domains.health.fold.kept,
      general: view.domains.general.fold.kept,
      coding: view.domains.coding.fold.kept,
    };
    const launch = plans.flatMap((item) => item.chunks);
    if (launch.length > 0 || inFlight.length > 0 || plans.some((item) => item.end === null))
      return { launch, accepted, verdict: 'working', reason: '' };
    if (plans.some((item) => item.end === 'stuck')) return { launch, accepted, verdict: 'stuck', reason: stuckReason(plans) };
    if (!(await confirmEnd(run, deps.store))) {
      if (again) throw new Error(`run ${runId}: the exact fold is not done, but nothing is left to start`);
      views.delete(runId);
      return plan(runId, inFlight, true);
    }
    return { launch, accepted, verdict: plans.every((item) => item.end === 'complete') ? 'complete' : 'dry', reason: '' };
  };
  return { plan: (runId, inFlight) => plan(runId, inFlight, false) };
}
