import type { ExampleRecord } from './record.ts';

/** A finished example as the store keeps it: without what only a release knows (split, pipeline hash), with its density level for strata. */
export interface FinishedExample {
  readonly record: Omit<ExampleRecord, 'split' | 'pipeline_hash'>;
  readonly densityLevel: 1 | 2 | 3;
}
