import { parentPort, workerData } from 'node:worker_threads';
import type { AdapterResult } from '../datasets/adapters/adapter.ts';
import { createScreener, type BatchParams } from '../datasets/screen-batch.ts';
import { packSourceRow } from '../store/row-shelf.ts';

const { screen } = createScreener(workerData as BatchParams, packSourceRow);

/** Screens what it is sent, one batch after another, and sends back what is left of it under the same number. */
parentPort?.on('message', ({ number, results }: { readonly number: number; readonly results: readonly AdapterResult[] }) => {
  const batch = screen(results);
  const { passed, rows } = batch;
  const moved = [passed.numbers, rows.hashes, rows.bodies, rows.ends].map(({ buffer }) => buffer as ArrayBuffer);
  parentPort?.postMessage({ number, batch }, moved);
});
