import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { AdapterResult } from '../datasets/adapters/adapter.ts';
import { createScreener, type BatchParams, type ScreenedBatch, type Screener } from '../datasets/screen-batch.ts';
import { packSourceRow } from '../store/row-shelf.ts';

/** Rows screened on this thread before others are started: a thread costs more than a small project has rows. */
const ROWS_ALONE = 3000;

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

  constructor(file: URL, params: BatchParams) {
    const { minQualityScore, identifiers, nearDuplicateJaccard, seed } = params;
    const workerData: BatchParams = { minQualityScore, identifiers, nearDuplicateJaccard, seed };
    this.#worker = new Worker(file, { workerData, execArgv: [] });
    this.#worker.on('message', ({ number, batch }: { readonly number: number; readonly batch: ScreenedBatch }) => {
      this.waiting.get(number)?.resolve(batch);
      this.waiting.delete(number);
    });
    const fail = (error: unknown): void => {
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    };
    this.#worker.on('error', fail);
    this.#worker.on('exit', (code) => fail(new Error(`A screening thread ended with code ${code}.`)));
  }

  screen(number: number, results: readonly AdapterResult[]): Promise<ScreenedBatch> {
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.#worker.postMessage({ number, results }, []);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** A screener for the rows of a store that takes other threads to help once there is enough to do; what it finds does not depend on how many. */
export class ThreadedScreener implements Screener {
  readonly #params: BatchParams;
  readonly #here: ReturnType<typeof createScreener>;
  readonly #most: number;
  readonly #threads: ScreeningThread[] = [];
  #batches = 0;
  #rows = 0;

  constructor(params: BatchParams, threads: number = Math.min(MOST_THREADS, availableParallelism())) {
    this.#params = params;
    this.#here = createScreener(params, packSourceRow);
    this.#most = threads;
  }

  screen(results: readonly AdapterResult[]): Promise<ScreenedBatch> | ScreenedBatch {
    const number = this.#batches++;
    this.#rows += results.length;
    if (this.#rows <= ROWS_ALONE || this.#most < 2 || THREAD === undefined) return this.#here.screen(results);
    while (this.#threads.length < this.#most) this.#threads.push(new ScreeningThread(THREAD, this.#params));
    const [first, ...others] = this.#threads;
    if (first === undefined) return this.#here.screen(results);
    return others.reduce((least, thread) => (thread.waiting.size < least.waiting.size ? thread : least), first).screen(number, results);
  }

  /** Threads that help. */
  threads(): number {
    return this.#threads.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
