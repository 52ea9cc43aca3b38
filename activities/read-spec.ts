import type { RunSpec } from '../schemas/run-spec.ts';
import type { Store } from '../store/port.ts';

/** A run that the store does not know: activities accept only known ids (DESIGN §8). */
export class UnknownRunError extends Error {
  override readonly name = 'UnknownRunError';
  readonly code = 'unknown_run';
  readonly retryable = false;
}

/** Where a run's frozen spec lies in the store. */
export function specFact(runId: string): string {
  return `run-spec:${runId}`;
}

/** Reads the frozen spec of a run. */
export async function readSpec(store: Store, runId: string): Promise<RunSpec> {
  const text = await store.fact(specFact(runId));
  if (text === null) throw new UnknownRunError(`The store knows no run ${runId}. Type \`memcalib build\` to start one.`);
  return JSON.parse(text) as RunSpec;
}
