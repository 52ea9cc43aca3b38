import { foldStored } from '../../activities/fold-stored.ts';
import type { StoredFold } from '../../activities/fold-stored.ts';
import { hashOf } from '../../schemas/hash.ts';
import type { Store } from '../../store/port.ts';
import type { KnownRun } from './run-of.ts';

const ENDED: ReadonlySet<string> = new Set(['completed', 'dry', 'cancelled', 'failed']);

function foldFact(runId: string): string {
  return `fold:${runId}`;
}

/** Everything a fold depends on besides the candidates: when this is equal, so is the fold. */
async function markOf(store: Store, { run, spec }: KnownRun): Promise<string> {
  const { target, sources, screening } = spec.config;
  return hashOf({
    order: run.orderId,
    pipeline: run.pipelineHash,
    outcomes: await store.lineage.outcomeMark(run.pipelineHash),
    target,
    quotas: sources.map(({ name, quota }) => [name, quota ?? null]),
    nearDuplicateJaccard: screening.nearDuplicateJaccard,
  });
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'read_only';
}

/** The acceptance fold of a build. Of an ended one it is kept beside the store's facts, so that the next question about it is cheap. */
export async function foldOf(store: Store, known: KnownRun): Promise<StoredFold> {
  const mark = await markOf(store, known);
  const kept = await store.fact(foldFact(known.run.id));
  if (kept !== null) {
    const stored = JSON.parse(kept) as { readonly mark: string; readonly fold: StoredFold };
    if (stored.mark === mark) return stored.fold;
  }
  const fold = await foldStored(store, known.run, known.spec.config);
  const state = await store.runState(known.run.id);
  if (state !== null && ENDED.has(state.state)) {
    await store.putFact(foldFact(known.run.id), JSON.stringify({ mark, fold })).catch((error: unknown) => {
      if (!isReadOnly(error)) throw error;
    });
  }
  return fold;
}
