import { readSpec } from '../../activities/read-spec.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import type { RunRow, Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { latestRunFact } from './latest-run.ts';

/** A prepared run with what it was asked to do. */
export interface KnownRun {
  readonly run: RunRow;
  readonly spec: RunSpec;
}

/** The latest build of a label that got as far as reading its sources; a sentence when there is none. */
export async function runOfLabel(store: Store, label: string): Promise<KnownRun> {
  const runId = await store.fact(latestRunFact(label));
  const run = (runId === null ? null : await store.run(runId)) ?? (await store.latestRun(label));
  if (run === null) throw new CliError(`There is no build labelled ${label} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
  return { run, spec: await readSpec(store, run.id) };
}
