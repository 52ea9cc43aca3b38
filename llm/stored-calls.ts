import type { LedgerStore, StoredAttempt } from '../schemas/ledger.ts';
import { answeringAttempt } from './next-attempt.ts';

/** What the ledger holds under a key; `answer` is the reply text of the attempt that answers it, when there is one. */
export interface StoredCall {
  attempts: readonly StoredAttempt[];
  readonly series: number;
  readonly answer: string | null;
}

interface Load {
  readonly stale: Set<string>;
}

const MOST_ENTRIES = 50_000;

/** Reads keys in batches and keeps what was prefetched until it is used once; what changed meanwhile is never served from here. */
export class StoredCalls {
  readonly #ledger: LedgerStore;
  readonly #entries = new Map<string, StoredCall>();
  readonly #loads = new Set<Load>();
  #asked = new Map<string, { readonly resolve: (call: StoredCall) => void; readonly reject: (reason: unknown) => void }[]>();

  constructor(ledger: LedgerStore) {
    this.#ledger = ledger;
  }

  /** Loads many keys at once; following `take`s of them need no query. */
  async prefetch(keys: readonly string[]): Promise<void> {
    const missing = [...new Set(keys)].filter((key) => !this.#entries.has(key));
    if (missing.length === 0) return;
    const load: Load = { stale: new Set() };
    this.#loads.add(load);
    try {
      for (const [key, call] of await this.#read(missing)) if (!load.stale.has(key)) this.#entries.set(key, call);
    } finally {
      this.#loads.delete(load);
    }
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= MOST_ENTRIES) break;
      this.#entries.delete(key);
    }
  }

  /** What is stored under a key; lookups of one tick share one query. The key counts as changed from here on. */
  async take(key: string): Promise<StoredCall> {
    const known = this.#entries.get(key);
    this.invalidate(key);
    if (known !== undefined) return known;
    return new Promise((resolve, reject) => {
      if (this.#asked.size === 0) setImmediate(() => this.#answer());
      this.#asked.set(key, [...(this.#asked.get(key) ?? []), { resolve, reject }]);
    });
  }

  /** Forgets a key, also in loads that are under way. */
  invalidate(key: string): void {
    this.#entries.delete(key);
    for (const load of this.#loads) load.stale.add(key);
  }

  #answer(): void {
    const asked = this.#asked;
    this.#asked = new Map();
    this.#read([...asked.keys()]).then(
      (calls) => {
        for (const [key, waiting] of asked)
          for (const { resolve } of waiting) resolve(calls.get(key) ?? { attempts: [], series: 0, answer: null });
      },
      (error: unknown) => {
        for (const waiting of asked.values()) for (const { reject } of waiting) reject(error);
      },
    );
  }

  async #read(keys: readonly string[]): Promise<ReadonlyMap<string, StoredCall>> {
    const [attempts, series] = await Promise.all([this.#ledger.attempts(keys), this.#ledger.series(keys)]);
    const wanted = keys.flatMap((key) => {
      const answer = answeringAttempt(attempts.get(key) ?? [], series.get(key) ?? 0);
      return answer === null ? [] : [{ key, attempt: answer.attempt }];
    });
    const replies = wanted.length === 0 ? [] : await this.#ledger.replies(wanted);
    const texts = new Map(replies.map((reply) => [reply.key, reply.replyText]));
    return new Map(
      keys.map((key) => [key, { attempts: attempts.get(key) ?? [], series: series.get(key) ?? 0, answer: texts.get(key) ?? null }]),
    );
  }
}
