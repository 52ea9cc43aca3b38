import type { Store } from '../../store/port.ts';

/** Rows of an edit that were asked before its build, to measure what it changes: drawn by the seed, kept with the run that asked them. */
export interface Sample {
  readonly runId: string;
  readonly ids: readonly string[];
}

/** What a sample was drawn for. */
export interface SampleScope {
  readonly label: string;
  readonly pipelineHash: string;
  readonly orderId: string;
}

function sampleFact({ label, pipelineHash, orderId }: SampleScope): string {
  return `plan-sample:${label}:${orderId}:${pipelineHash}`;
}

/** The sample that was drawn for a pipeline of a label; null when none was. */
export async function readSample(store: Store, scope: SampleScope): Promise<Sample | null> {
  const text = await store.fact(sampleFact(scope));
  return text === null ? null : (JSON.parse(text) as Sample);
}

/** Keeps a sample before any of its rows is asked, so that the same command goes on with the same rows. */
export function keepSample(store: Store, scope: SampleScope, sample: Sample): Promise<void> {
  return store.putFact(sampleFact(scope), JSON.stringify(sample));
}
