import type { StoredFold } from '../../activities/fold-stored.ts';
import { keepFold, keptFold } from '../../activities/kept-fold.ts';
import type { Store } from '../../store/port.ts';
import type { KnownRun } from './run-of.ts';

const ENDED: ReadonlySet<string> = new Set(['completed', 'dry', 'cancelled', 'failed']);

/** The acceptance fold of a build, kept when the build has ended. */
export async function foldOf(store: Store, { run, spec }: KnownRun): Promise<StoredFold> {
  const kept = await keptFold(store, run, spec.config);
  if (kept !== null) return kept;
  const { foldStored } = await import('../../activities/fold-stored.ts');
  const fold = await foldStored(store, run, spec.config);
  const state = await store.runState(run.id);
  if (state !== null && ENDED.has(state.state)) await keepFold(store, run, spec.config, fold);
  return fold;
}
