import type { Store } from '../store/port.ts';
import type { LoadedConfig } from './config-file.ts';
import { openUnheld } from './open-unheld.ts';
import { sameWork } from './owner/same-work.ts';
import type { WantedRun } from './owner/same-work.ts';

/** A run as an owner would be told of it: fields without a value are gone. */
export const asSent = (wanted: WantedRun): WantedRun => JSON.parse(JSON.stringify(wanted)) as WantedRun;

const INTERRUPTED: ReadonlySet<string> = new Set(['starting', 'running']);

/**
 * Ends the latest run of a label when nobody works on it any more (its owner was killed) and the wanted build is another: an owner that
 * starts would go on with it and pay for an edit that was taken back. `check` may refuse first: then the run stays as it is. Gives its id;
 * null when there is nothing to end.
 */
export async function endInterrupted(
  loaded: LoadedConfig,
  wanted: WantedRun,
  check: (store: Store) => Promise<void>,
): Promise<string | null> {
  const store = await openUnheld(loaded);
  if (store === null) return null;
  const [{ readSpec }, { latestRunFact }] = await Promise.all([import('../activities/read-spec.ts'), import('./queries/latest-run.ts')]);
  try {
    const runId = await store.fact(latestRunFact(wanted.label));
    if (runId === null) return null;
    const state = await store.runState(runId);
    if (!INTERRUPTED.has(state?.state ?? 'starting') || sameWork(await readSpec(store, runId), asSent(wanted))) return null;
    await check(store);
    const reason = 'interrupted, and another configuration or other prompts came in its place';
    await store.putRunState({ runId, state: 'cancelled', reason, until: null, at: Date.now() });
    return runId;
  } finally {
    await store.close();
  }
}
