import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { AdapterResult } from '../datasets/adapters/adapter.ts';
import type { BatchParams, ScreenedBatch, Screener } from '../datasets/screen-batch.ts';

/** Rows that one thread screens before others help: each loads the language tables for itself. */
const ROWS_OF_ONE = 3000;

/** More threads than this would wait for the one that reads and stores. */
const MOST_THREADS = 4;

/** The compiled thread: beside this file, or beside the folder of a bundle that took this file in; none where sources run uncompiled (in tests). */
const THREAD = ['./screening-thread.js', '../activities/screening-thread.js']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url));

interface Waiting {
  readonly resolve: (batch: ScreenedBatch) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that screens, and who waits for it. */
class ScreeningThread {
  readonly waiting = new Map<number, Waiting>();
  readonly #worker: Worker;
  #ended: unknown = null;

  constructor(file: URL, params: BatchParams) {
    const { minQualityScore, identifiers, nearDuplicateJaccard, seed } = params;
    const workerData: BatchParams = { minQualityScore, identifiers, nearDuplicateJaccard, seed };
    this.#worker = new Worker(file, { workerData, execArgv: [] });
    this.#worker.on('message', ({ number, batch }: { readonly number: number; readonly batch: ScreenedBatch }) => {
      this.waiting.get(number)?.resolve(batch);
      this.waiting.delete(number);
    });
    const fail = (error: unknown): void => {
      this.#ended ??= error;
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    };
    this.#worker.on('error', fail);
    this.#worker.on('exit', (code) => fail(new Error(`A screening thread ended with code ${code}.`)));
  }

  screen(number: number, results: readonly AdapterResult[]): Promise<ScreenedBatch> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) return reject(this.#ended);
      this.waiting.set(number, { resolve, reject });
      this.#worker.postMessage({ number, results }, []);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** A screener on this thread, for sources that run uncompiled. */
async function screenerHere(params: BatchParams): Promise<Screener> {
  const [{ createScreener }, { packSourceRow }] = await Promise.all([
    import('../datasets/screen-batch.ts'),
    import('../store/row-shelf.ts'),
  ]);
  return createScreener(params, packSourceRow);
}

/**
 * A screener for the rows of a store on threads of its own; what it finds does not depend on how many. The language tables take
 * 46 MB of heap, which end with the threads, and the thread of the owner is free meanwhile.
 */
export class ThreadedScreener implements Screener {
  readonly #params: BatchParams;
  readonly #most: number;
  readonly #threads: ScreeningThread[] = [];
  #here: Promise<Screener> | null = null;
  #batches = 0;
  #rows = 0;

  /** `threads` at most; with 0 the rows are screened on this thread. */
  constructor(params: BatchParams, threads: number = Math.min(MOST_THREADS, availableParallelism())) {
    this.#params = params;
    this.#most = threads;
    // It loads while the first files are still being hashed.
    if (THREAD !== undefined && threads > 0) this.#threads.push(new ScreeningThread(THREAD, params));
  }

  screen(results: readonly AdapterResult[]): Promise<ScreenedBatch> {
    const number = this.#batches++;
    this.#rows += results.length;
    if (THREAD === undefined || this.#most === 0) {
      this.#here ??= screenerHere(this.#params);
      return this.#here.then((here) => here.screen(results));
    }
    const wanted = this.#rows > ROWS_OF_ONE ? this.#most : 1;
    while (this.#threads.length < wanted) this.#threads.push(new ScreeningThread(THREAD, this.#params));
    const idlest = this.#threads.reduce((least, thread) => (thread.waiting.size < least.waiting.size ? thread : least));
    return idlest.screen(number, results);
  }

  /** Threads that help. */
  threads(): number {
    return this.#threads.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
