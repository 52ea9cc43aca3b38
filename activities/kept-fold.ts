import type { Config } from '../schemas/config.ts';
import { hashOf } from '../schemas/hash.ts';
import { DOMAINS } from '../schemas/domains.ts';
import { FOLD_VERSION } from '../stages/acceptance.ts';
import type { RunRow, Store } from '../store/port.ts';
import type { StoredFold } from './fold-stored.ts';

type FoldedRun = Pick<RunRow, 'orderId' | 'pipelineHash'>;

/** Where a fold lies: named by everything it depends on, so that one found there is the fold that would be computed again. */
async function factOf(store: Store, run: FoldedRun, config: Config): Promise<string> {
  const { target, sources, screening } = config;
  const mark = hashOf({
    version: FOLD_VERSION,
    order: run.orderId,
    pipeline: run.pipelineHash,
    outcomes: await store.lineage.outcomeMark(run.pipelineHash),
    target,
    quotas: sources.map(({ name, quota }) => [name, quota ?? null]),
    nearDuplicateJaccard: screening.nearDuplicateJaccard,
  });
  return `fold:${mark}`;
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'read_only';
}

/** The acceptance fold of a build as it was kept; null when none was, or when an outcome, a quota or the order is another since. */
export async function keptFold(store: Store, run: FoldedRun, config: Config): Promise<StoredFold | null> {
  const text = await store.fact(await factOf(store, run, config));
  return text === null ? null : (JSON.parse(text) as StoredFold);
}

/** Keeps a fold beside the store's facts, so that the next question about it is cheap; a store that is only read is left alone. */
export async function keepFold(store: Store, run: FoldedRun, config: Config, fold: StoredFold): Promise<void> {
  try {
    await store.putFact(await factOf(store, run, config), JSON.stringify(fold));
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
}

/** Whether a build that folds so is done: every domain has its quota, or no candidate left that could be asked. */
export function isSettled(fold: StoredFold): boolean {
  return DOMAINS.every((domain) => fold.domains[domain].met || fold.domains[domain].stoppedAt === null);
}
