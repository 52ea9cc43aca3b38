import type { Kept } from '../store/garbage.ts';
import type { Store } from '../store/port.ts';
import { latestRunFact } from './queries/latest-run.ts';

const OPEN: ReadonlySet<string> = new Set(['running', 'paused']);

/** Runs whose data is never garbage: the latest of each label, exported ones, unfinished ones, and those younger than a time. */
export async function keptRuns(store: Store, youngerThanMs: number): Promise<Kept> {
  const latest = new Set((await store.facts(latestRunFact(''))).map(({ value }) => value));
  const exported = new Set((await store.releases()).map(({ runId }) => runId));
  const runs: Kept['runs'][number][] = [];
  for (const { id, startedAt, pipelineHash, orderId } of await store.runs()) {
    const state = await store.runState(id);
    const isOpen = state === null || OPEN.has(state.state);
    if (latest.has(id) || exported.has(id) || isOpen || startedAt >= youngerThanMs) runs.push({ id, pipelineHash, orderId });
  }
  return { runs, youngerThanMs };
}
