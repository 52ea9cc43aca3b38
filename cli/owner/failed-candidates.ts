import { DOMAINS } from '../../schemas/levels.ts';
import type { PositionOutcome, RunRow, Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { latestRunFact } from '../queries/latest-run.ts';
import type { Engine } from './engine.ts';
import { buildWorkflowId } from './workflow-handles.ts';

/** Places read at a time. */
const PAGE = 2000;

/** How many candidates a retry or waive touched. */
export interface Touched {
  readonly candidates: number;
  readonly calls: number;
}

async function runOf(store: Store, label: string): Promise<RunRow> {
  const runId = await store.fact(latestRunFact(label));
  const run = runId === null ? null : await store.run(runId);
  if (run === null) throw new CliError(`There is no build labelled ${label} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
  return run;
}

async function failedOf(store: Store, run: RunRow, failureClass: string | null): Promise<readonly PositionOutcome[]> {
  const failed: PositionOutcome[] = [];
  const counts = await store.candidateCounts(run.orderId);
  for (const domain of DOMAINS) {
    const total = counts.filter((item) => item.domain === domain).reduce((sum, item) => sum + item.count, 0);
    for (let from = 0; from < total; from += PAGE) {
      for (const item of await store.outcomesAt(run.orderId, run.pipelineHash, domain, from, Math.min(total, from + PAGE))) {
        const { outcome } = item;
        if (outcome === null || item.waived || (outcome.status !== 'failed' && outcome.status !== 'no_verdict')) continue;
        if (failureClass === null || outcome.reason === failureClass || outcome.status === failureClass) failed.push(item);
      }
    }
  }
  return failed;
}

/** Reopens exactly the failed candidates (of one class when named): their failed calls get a new series, nothing else is asked again. */
export async function reopenFailed(store: Store, args: { readonly label: string; readonly class: string | null }): Promise<Touched> {
  const run = await runOf(store, args.label);
  const failed = await failedOf(store, run, args.class);
  let calls = 0;
  for (let at = 0; at < failed.length; at += PAGE) {
    const page = failed.slice(at, at + PAGE);
    const outcomes = await store.outcomes(
      run,
      page.map((item) => item.candidateId),
    );
    const keys = outcomes.flatMap((outcome) => outcome.callKeys);
    const attempts = await store.ledger.attempts(keys);
    const reopened = keys.filter((key) => (attempts.get(key) ?? []).every((attempt) => attempt.class !== 'ok'));
    await store.ledger.openSeries(reopened, run.id);
    calls += reopened.length;
    await store.putOutcomes(
      outcomes.map((outcome) => ({ ...outcome, status: 'retry', trail: [], example: null, query: null, runId: run.id, at: Date.now() })),
    );
  }
  return { candidates: failed.length, calls };
}

/** Reopens the failed candidates and wakes the build that waits for them. */
export async function retryFailed(
  store: Store,
  engine: Engine,
  args: { readonly label: string; readonly class: string | null },
): Promise<Touched> {
  const touched = await reopenFailed(store, args);
  await wake(engine, args.label);
  return touched;
}

/** Records that the build goes on without its failed candidates: part of its identity. */
export async function recordWaivers(store: Store, args: { readonly label: string }): Promise<Touched> {
  const run = await runOf(store, args.label);
  const failed = await failedOf(store, run, null);
  await store.waive(
    failed.map((item) => item.candidateId),
    run.pipelineHash,
    run.id,
  );
  return { candidates: failed.length, calls: 0 };
}

/** Lets the build that waits for its failed candidates go on without them. */
export async function waiveFailed(store: Store, engine: Engine, args: { readonly label: string }): Promise<Touched> {
  const touched = await recordWaivers(store, args);
  await wake(engine, args.label);
  return touched;
}

async function wake(engine: Engine, label: string): Promise<void> {
  try {
    await engine.workflows.getHandle(buildWorkflowId(engine.projectId, label)).signal('resume');
  } catch {
    // No workflow under way: the next `memcalib build` picks the candidates up.
  }
}
