import type { Store } from '../store/port.ts';
import type { LoadedConfig } from './config-file.ts';
import { asSent } from './end-interrupted.ts';
import { openUnheld } from './open-unheld.ts';
import { sameWork } from './owner/same-work.ts';
import type { WantedRun } from './owner/same-work.ts';
import type { DomainShortfall } from './queries/shortfall.ts';
import type { StatusReport } from './queries/status.ts';

/** A build that has come to its end and would do nothing if it were typed again. */
export interface SettledBuild {
  readonly report: StatusReport;
  readonly shortfall: readonly DomainShortfall[];
}

async function settledIn(store: Store, wanted: WantedRun): Promise<SettledBuild | null> {
  const [{ latestRunFact }, { readSpec }] = await Promise.all([import('./queries/latest-run.ts'), import('../activities/read-spec.ts')]);
  const runId = await store.fact(latestRunFact(wanted.label));
  const [run, state] = runId === null ? [null, null] : await Promise.all([store.run(runId), store.runState(runId)]);
  if (run === null || (state?.state !== 'completed' && state?.state !== 'dry')) return null;
  const spec = await readSpec(store, run.id);
  if (!sameWork(spec, asSent(wanted)) || spec.allowUnknownLicence !== wanted.allowUnknownLicence) return null;
  const [{ openPlanWorld }, { settledDomains }, { readStatus }] = await Promise.all([
    import('./queries/plan.ts'),
    import('../activities/plan/settled.ts'),
    import('./queries/status.ts'),
  ]);
  const { world } = await openPlanWorld(store, wanted, false);
  if (world.pipelineHash !== run.pipelineHash || world.order.id !== run.orderId || (await settledDomains(world)) === null) return null;
  const report = await readStatus(store, wanted.label);
  if (report === null) return null;
  const shortfall =
    state.state === 'dry' ? await (await import('./queries/shortfall.ts')).readShortfall(store, { label: wanted.label }) : [];
  return { report, shortfall };
}

/**
 * The latest build of a label, when it ended, was asked for exactly what is asked for now, and everything it rests on stands: then a build would start
 * an owner and Temporal to find nothing to do. Null when there is anything to do, or somebody works on the project.
 */
export async function settledBuild(loaded: LoadedConfig, wanted: WantedRun): Promise<SettledBuild | null> {
  const store = await openUnheld(loaded);
  if (store === null) return null;
  try {
    return await settledIn(store, wanted);
  } finally {
    await store.close();
  }
}
