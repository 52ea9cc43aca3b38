import { readSpec } from '../../activities/read-spec.ts';
import type { FinishedExample } from '../../schemas/finished-example.ts';
import type { Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { latestRunFact } from './latest-run.ts';

/** An example, or where its candidate stands when it did not become one. */
export interface ExampleReport {
  readonly id: string;
  readonly status: string;
  readonly step: string | null;
  readonly reason: string;
  readonly detail: string;
  readonly source: { readonly dataset: string; readonly id: string; readonly license: string; readonly file: string; readonly row: number };
  readonly record: FinishedExample['record'] | null;
  readonly calls: readonly string[];
}

/** Reads one example of the latest build of a label by its id. */
export async function readExample(store: Store, args: { readonly label: string; readonly id: string }): Promise<ExampleReport> {
  const runId = await store.fact(latestRunFact(args.label));
  const run = runId === null ? null : await store.run(runId);
  if (runId === null || run === null)
    throw new CliError(`There is no build labelled ${args.label} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
  await readSpec(store, runId);
  const stored = await store.candidateById(run.orderId, args.id);
  if (stored === null)
    throw new CliError(
      `The build has no candidate ${args.id}: ids are the 16 hexadecimal digits in train.jsonl, test.jsonl and rejected.jsonl.`,
      EXIT.usage,
    );
  const [outcome] = await store.outcomes(run, [args.id]);
  const { row } = stored.candidate;
  const source = { dataset: row.sourceDataset, id: row.sourceId, license: row.sourceLicense, file: row.origin.file, row: row.origin.row };
  if (outcome === undefined) return { id: args.id, status: 'pending', step: null, reason: '', detail: '', source, record: null, calls: [] };
  const record = outcome.example === null ? null : (JSON.parse(outcome.example) as FinishedExample).record;
  return {
    id: args.id,
    status: outcome.status,
    step: outcome.step,
    reason: outcome.reason,
    detail: outcome.detail,
    source,
    record,
    calls: outcome.callKeys,
  };
}
