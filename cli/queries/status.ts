import type { Domain } from '../../schemas/levels.ts';
import { STEPS } from '../../schemas/steps.ts';
import { earlierPipelines } from './export-scope.ts';
import { latestRunFact } from './latest-run.ts';
import { readSpec } from '../../activities/read-spec.ts';
import { prepareSteps } from '../../activities/prepare-steps.ts';
import type { FormatModes } from '../../activities/prepare-steps.ts';
import { balanceBooks } from '../../stages/books.ts';
import type { BookLine } from '../../stages/books.ts';
import type { RunRow, RunStateRow, Store } from '../../store/port.ts';

/** Everything `status` shows of one build, from the store alone. */
export interface StatusReport {
  readonly label: string;
  readonly runId: string;
  readonly pipelineHash: string;
  /** `interrupted`: the last word is that it runs, but no owner holds the project. */
  readonly state: RunStateRow['state'] | 'starting' | 'interrupted';
  readonly reason: string;
  readonly until: number | null;
  readonly target: Readonly<Record<Domain, number>>;
  /** Accepted outcomes per domain, before the acceptance fold drops near-duplicates and reserve. */
  readonly accepted: Readonly<Record<Domain, number>>;
  readonly candidates: Readonly<Record<Domain, number>>;
  readonly rowRejections: readonly { readonly source: string; readonly reason: string; readonly count: number }[];
  /** Accepted examples by the pipeline that made them, this build's and those not built anew yet; the latest first. */
  readonly pipelines: readonly { readonly pipelineHash: string; readonly count: number }[];
  readonly books: readonly BookLine[];
  readonly calls: {
    readonly total: number;
    readonly microUsd: number;
    readonly unknownCost: number;
    readonly ofThisRun: number;
    readonly microUsdOfThisRun: number;
    readonly unknownOfThisRun: number;
  };
  /** Whether the rehearsal model answered. */
  readonly rehearsal: boolean;
}

async function startedPerSource(store: Store, run: RunRow, screenVersion: string): Promise<Record<string, number>> {
  const started: Record<string, number> = {};
  for (const { source } of await store.candidateCounts(run.orderId)) started[source] ??= 0;
  for (const item of await store.startedCounts(run.orderId, run.pipelineHash, screenVersion)) started[item.source] = item.count;
  return started;
}

function perDomain(counts: readonly { readonly domain: Domain; readonly count: number }[]): Record<Domain, number> {
  const sums: Record<Domain, number> = { health: 0, general: 0, coding: 0 };
  for (const { domain, count } of counts) sums[domain] += count;
  return sums;
}

/** Reads the state of the latest build of a label; null when there is none. */
export async function readStatus(store: Store, label: string): Promise<StatusReport | null> {
  const runId = await store.fact(latestRunFact(label));
  if (runId === null) return null;
  const spec = await readSpec(store, runId);
  const run = await store.run(runId);
  const state = await store.runState(runId);
  const base = {
    label,
    runId,
    target: spec.config.target,
    rehearsal: spec.rehearsal,
    state: state?.state ?? 'starting',
    reason: state?.reason ?? '',
    until: state?.until ?? null,
  } as const;
  const [all, own] = await Promise.all([store.ledger.spent({}), store.ledger.spent({ runId })]);
  const calls = {
    total: all.calls,
    microUsd: all.microUsd,
    unknownCost: all.unknownCalls,
    ofThisRun: own.calls,
    microUsdOfThisRun: own.microUsd,
    unknownOfThisRun: own.unknownCalls,
  };
  const none = { health: 0, general: 0, coding: 0 };
  if (run === null)
    return { ...base, pipelineHash: '', accepted: none, candidates: none, rowRejections: [], pipelines: [], books: [], calls };
  const { modes } = JSON.parse(run.config) as { readonly modes: FormatModes };
  const steps = prepareSteps(spec, modes);
  const versions = STEPS.flatMap((step) => {
    const prepared = steps.get(step);
    return prepared === undefined ? [] : [{ step, stepVersion: prepared.version }];
  });
  const ends = await store.stepCounts(run.pipelineHash, run.orderId);
  const [started, acceptedSteps, candidates, rowRejections, pipelines] = await Promise.all([
    startedPerSource(store, run, steps.get('screen')?.version ?? ''),
    store.acceptedCounts(run.orderId, run.pipelineHash, versions),
    store.candidateCounts(run.orderId),
    store.rowRejectionCounts(run.orderId),
    store.planning.acceptedByPipeline(run.orderId, [run.pipelineHash, ...(await earlierPipelines(store, run))]),
  ]);
  const domainOf = new Map(candidates.map((item) => [item.source, item.domain]));
  const accepted = perDomain(
    ends
      .filter((end) => end.status === 'accepted')
      .flatMap((end) => {
        const domain = domainOf.get(end.source);
        return domain === undefined ? [] : [{ domain, count: end.count }];
      }),
  );
  return {
    ...base,
    pipelineHash: run.pipelineHash,
    accepted,
    candidates: perDomain(candidates),
    rowRejections,
    pipelines,
    books: balanceBooks(started, acceptedSteps, ends),
    calls,
  };
}
