import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { BatchPorts, BatchTurn } from '../../../llm/batch/desk.ts';
import { fileTransport } from '../../../llm/batch/file-transport.ts';
import { providerTransport } from '../../../llm/batch/provider-transport.ts';
import type { BatchTransport } from '../../../llm/batch/transport.ts';
import type { BudgetCaps } from '../../../llm/budget.ts';
import { canaryRequest, canaryValidator } from '../../../llm/canary.ts';
import { systemClock } from '../../../llm/clock.ts';
import { createModelClient } from '../../../llm/ledger-client.ts';
import type { LedgerModelClient } from '../../../llm/ledger-client.ts';
import { createLimiter } from '../../../llm/limiter.ts';
import { createEndpoint } from '../../../llm/openai-client.ts';
import { startRehearsalServer } from '../../../llm/rehearsal/server.ts';
import type { RehearsalOptions, RehearsalServer } from '../../../llm/rehearsal/server.ts';
import type { CallOutcome, CallRequest } from '../../../schemas/ledger.ts';
import type { DuckDbStore } from '../../../store/duckdb-store.ts';
import { openStore } from '../../../store/open.ts';
import { MemoryGate } from '../bench.ts';

const open: (() => Promise<void> | void)[] = [];

/** Each test file calls this once: what its tests opened ends with them. (The files of a worker share this module, so it cannot do so itself.) */
export function endWithEachTest(): void {
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });
}

/** A new folder; gone after the test. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'memcalib-test-'));
  open.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const PRICE = { inputPerMillionUsd: 100, outputPerMillionUsd: 100, batchDiscount: 0.5 };
const TOKENS = { role: 'builder', provider: 'p', model: 'rehearsal', sampling: { temperature: 0 } } as const;

/** So many different calls of one run. */
export function requests(count: number, runId = 'run'): readonly CallRequest[] {
  return Array.from({ length: count }, (_, at) => ({ ...canaryRequest(TOKENS, runId, at), step: 'screen' as const }));
}

/** A rehearsal server that ends with the test. */
export async function serve(options: RehearsalOptions = {}): Promise<RehearsalServer> {
  const server = await startRehearsalServer(options);
  open.push(() => server.close());
  return server;
}

/** A model client with batches over a real store. */
export interface Bench {
  readonly store: DuckDbStore;
  readonly client: LedgerModelClient;
  readonly gate: MemoryGate;
  readonly notices: string[];
  ask(all: readonly CallRequest[]): Promise<readonly CallOutcome['kind'][]>;
  tend(asked?: boolean): Promise<BatchTurn>;
  /** Looks until the batch is over. */
  settle(): Promise<BatchTurn>;
  close(): Promise<void>;
}

interface BenchOptions {
  readonly where: string;
  readonly mode?: BatchPorts['settingsOf'];
  readonly caps?: BudgetCaps;
  readonly wrap?: (transport: BatchTransport) => BatchTransport;
  readonly batches?: (store: DuckDbStore) => BatchPorts['store'];
}

/** Every call travels by this transport. */
export const settingsOf =
  (transport: 'file' | 'provider', maxRequests = 1000): BatchPorts['settingsOf'] =>
  () => ({ transport, folder: null, pollSeconds: 1, maxRequests });

/** Opens a client with batches on a server; it ends with the test. */
export async function bench(server: RehearsalServer, options: BenchOptions): Promise<Bench> {
  const { where } = options;
  const store = await openStore(join(where, 'memcalib.duckdb'));
  const endpoint = createEndpoint({ name: 'p', baseUrl: server.url, timeoutMs: 10_000, clock: systemClock });
  const gate = new MemoryGate();
  const notices: string[] = [];
  const files = fileTransport(where);
  const client = createModelClient({
    ledger: store.ledger,
    providers: new Map([['p', { endpoint, limits: { concurrency: 8 } }]]),
    limiter: createLimiter(),
    priceOf: () => PRICE,
    caps: () => options.caps ?? {},
    gate,
    clock: systemClock,
    batching: {
      store: options.batches?.(store) ?? store.batches,
      settingsOf: options.mode ?? settingsOf('provider'),
      transportOf: ({ transport }) => {
        const made = transport === 'file' ? files : providerTransport(endpoint, where, systemClock);
        return Promise.resolve(options.wrap?.(made) ?? made);
      },
      notice: (sentence) => notices.push(sentence),
    },
  });
  await client.loadBatches();
  let closed = false;
  const made: Bench = {
    store,
    client,
    gate,
    notices,
    ask: async (all) => (await Promise.all(all.map((request) => client.call(request, canaryValidator)))).map(({ kind }) => kind),
    tend: (asked = false) => client.tendBatches('run', () => canaryValidator, asked),
    settle: async () => {
      for (;;) {
        const turn = await made.tend();
        if (turn.kind !== 'waiting') return turn;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await client.close();
      await store.close();
    },
  };
  open.push(() => made.close());
  return made;
}

/** One outcome many times. */
export const all = (count: number, kind: CallOutcome['kind']): readonly CallOutcome['kind'][] =>
  Array<CallOutcome['kind']>(count).fill(kind);

/** How many batches a server was ordered. */
export async function batchesAt(server: RehearsalServer): Promise<number> {
  return ((await (await fetch(`${server.url}/batches?limit=100`)).json()) as { readonly data: readonly unknown[] }).data.length;
}

/** The status of every batch of a server, newest first. */
export async function batchStatuses(server: RehearsalServer): Promise<readonly string[]> {
  const { data } = (await (await fetch(`${server.url}/batches?limit=100`)).json()) as {
    readonly data: readonly { readonly status: string }[];
  };
  return data.map(({ status }) => status);
}
