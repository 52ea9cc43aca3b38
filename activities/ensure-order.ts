import { join, resolve } from 'node:path';
import type { IngestFacts, IngestParams, IngestResult } from '../hub/ingest.ts';
import { findKnownOrder } from '../hub/known-order.ts';
import type { HashedFile } from '../hub/order-identity.ts';
import type { PlacedCandidate } from '../schemas/candidate.ts';
import { DOMAINS } from '../schemas/levels.ts';
import type { RunSpec } from '../schemas/run-spec.ts';
import type { RowRejection } from '../schemas/source-row.ts';
import type { OrderRow, Store } from '../store/port.ts';

/** Where the stratum weights of a project lie: computed at its first plan and kept (DESIGN §4). */
const WEIGHTS_FACT = 'strata-weights';

/** Where it lies from which row on rows came later: a row that came later displaces no older one until `plan --restratify` makes all equal. */
const AGES_FACT = 'row-ages';

/** Orders looked through for one that still holds. */
const MOST_KNOWN = 20;

/** The order of the candidates a spec leads to. */
export interface EnsuredOrder {
  readonly id: string;
  readonly facts: IngestFacts;
  /** Rows read from files for it, and rows of unchanged files that had been screened before; none when the order itself was stored. */
  readonly rows: IngestResult['rows'];
}

async function* allRejections(ingested: IngestResult): AsyncGenerator<readonly RowRejection[]> {
  yield* ingested.rejections();
}

async function* allCandidates(ingested: IngestResult): AsyncGenerator<readonly PlacedCandidate[]> {
  for (const domain of DOMAINS) yield* ingested.candidates(domain);
}

async function knownOrders(store: Store): Promise<readonly OrderRow[]> {
  const ids = new Set<string>();
  const latest = await store.latestOrder();
  if (latest !== null) ids.add(latest.id);
  for (const run of (await store.runs()).toReversed()) if (ids.size < MOST_KNOWN) ids.add(run.orderId);
  const orders = await Promise.all([...ids].map((id) => store.order(id)));
  return orders.filter((order) => order !== null);
}

/** Row numbers at which each time of new rows began, after the first; rows of before ages were kept are the first. */
async function readAges(store: Store): Promise<readonly number[]> {
  const stored = await store.fact(AGES_FACT);
  if (stored !== null) return JSON.parse(stored) as number[];
  return (await store.latestOrder()) === null ? [] : [await store.rows.nextNumber(0)];
}

/** Keeps the ages of rows as an ingest leaves them: those that come next are younger than all now. */
async function keepAges(store: Store, ages: readonly number[]): Promise<void> {
  const next = await store.rows.nextNumber(0);
  const kept = JSON.stringify(ages.at(-1) === next ? ages : [...ages, next]);
  if ((await store.fact(AGES_FACT)) !== kept) await store.putFact(AGES_FACT, kept);
}

/**
 * Reads, screens and orders the sources and stores the order, once per order id: when no file, parameter or weight changed, the stored
 * one is found by hashing the files. `restratify` computes the stratum weights anew, makes all rows equally old, and keeps both for all later builds.
 */
export async function ensureOrder(
  deps: { readonly store: Store; readonly clock: () => number },
  spec: Pick<RunSpec, 'config' | 'baseDir'>,
  options: { readonly restratify?: boolean } = {},
): Promise<EnsuredOrder> {
  const { store } = deps;
  const { config } = spec;
  const stored = options.restratify === true ? null : await store.fact(WEIGHTS_FACT);
  const ages = await readAges(store);
  const params: IngestParams = {
    baseDir: spec.baseDir,
    sourcesDir: join(resolve(spec.baseDir, config.projectDir), 'sources'),
    seed: config.seed,
    ...config.screening,
    ages: options.restratify === true ? [] : ages,
    ...(stored !== null && { weights: JSON.parse(stored) as NonNullable<IngestParams['weights']> }),
  };
  const hashes = new Map<string, HashedFile>();
  if (stored !== null) {
    const known = await findKnownOrder(await knownOrders(store), config.sources, params, hashes);
    if (known !== null) return { id: known.id, facts: JSON.parse(known.facts) as IngestFacts, rows: { read: 0, known: 0 } };
  }
  // Adapters, screening and language tables load only when there is something to read.
  const [{ ingestSources }, { ThreadedScreener }] = await Promise.all([import('../hub/ingest.ts'), import('./screening-threads.ts')]);
  await store.rows.nextNumber(ages.at(-1) ?? 0);
  const screener = new ThreadedScreener(params);
  let ingested: IngestResult;
  try {
    ingested = await ingestSources(config.sources, params, {
      shelf: { rows: store.rows, screener },
      hashes,
      ...(options.restratify === true && { formerAges: ages }),
    });
  } finally {
    await screener.close();
  }
  try {
    await store.rows.rest();
    // Before the order: whatever happens between, the next ingest finds rows as old as they were in this one.
    if (options.restratify !== true) await keepAges(store, ages);
    if ((await store.order(ingested.orderId)) === null) {
      await store.putOrder(
        { id: ingested.orderId, createdAt: deps.clock(), facts: JSON.stringify(ingested.facts) },
        allCandidates(ingested),
        allRejections(ingested),
        ingested.makings(),
      );
    }
  } finally {
    ingested.close();
  }
  // Weights and ages are written in one commit, so that a plan that ends early moves nothing.
  await Promise.all([
    stored === null ? store.putFact(WEIGHTS_FACT, JSON.stringify(ingested.facts.weights)) : undefined,
    options.restratify === true ? keepAges(store, []) : undefined,
  ]);
  return { id: ingested.orderId, facts: ingested.facts, rows: ingested.rows };
}
