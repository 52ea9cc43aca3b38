import type { CallFilter, CallLine, CallTexts, CostGroup, Store } from '../../store/port.ts';
import { ScrubError, scrubbedFixture } from '../../llm/scrub.ts';
import type { ReplyFixture } from '../../llm/scrub.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { latestRunFact } from './latest-run.ts';

/** One call with all that is kept of it. */
export interface CallReport {
  readonly attempts: readonly CallLine[];
  readonly texts: CallTexts;
}

/** A page of calls, latest first. */
export function readCalls(store: Store, args: { readonly filter: CallFilter; readonly limit: number }): Promise<readonly CallLine[]> {
  return store.calls(args.filter, args.limit);
}

/** The one call whose key begins with an id. */
export async function readCall(store: Store, args: { readonly id: string }): Promise<CallReport> {
  const found = await store.calls({ keyPrefix: args.id }, 200);
  const keys = [...new Set(found.map(({ key }) => key))];
  const [key] = keys;
  if (key === undefined || args.id === '')
    throw new CliError(`No call has an id that begins with ${args.id}. Type \`memcalib calls\` to list them.`, EXIT.usage);
  if (keys.length > 1)
    throw new CliError(
      `${keys.length} calls have an id that begins with ${args.id}. Give more of it, as \`memcalib calls\` prints it.`,
      EXIT.usage,
    );
  const texts = await store.callTexts(key);
  if (texts === null)
    throw new CliError(`Nothing is kept of what call ${key} asked. Type \`memcalib doctor\` to check the store.`, EXIT.environment);
  return { attempts: found.toReversed(), texts };
}

/** What came back for a call as a test fixture: the last attempt that ended. */
export async function readFixture(store: Store, args: { readonly id: string }): Promise<ReplyFixture> {
  const { attempts, texts } = await readCall(store, args);
  const key = attempts[0]?.key ?? '';
  const stored = (await store.ledger.attempts([key])).get(key) ?? [];
  const last = stored.findLast((attempt) => attempt.class !== null) ?? stored.at(-1);
  if (last === undefined) throw new CliError(`Call ${key} has no attempt. Type \`memcalib calls\` to list calls.`, EXIT.usage);
  const rawBody = texts.replies.find(({ attempt }) => attempt === last.attempt)?.rawBody ?? null;
  try {
    return scrubbedFixture(last, texts.request, rawBody);
  } catch (error) {
    if (!(error instanceof ScrubError)) throw error;
    throw new CliError(error.message, EXIT.usage, { cause: error });
  }
}

/** What was spent, in groups that add up to the ledger's own sum, and what of it the latest build of a label got for nothing. */
export interface CostReport {
  readonly groups: readonly CostGroup[];
  readonly total: { readonly calls: number; readonly microUsd: number; readonly unknownCalls: number };
  /** Answers of earlier runs that the latest build of the label uses; null before it has a plan. */
  readonly reused: { readonly calls: number; readonly microUsd: number } | null;
}

/** Reads the costs of a project. */
export async function readCost(store: Store, args: { readonly label: string }): Promise<CostReport> {
  const runId = await store.fact(latestRunFact(args.label));
  const run = runId === null ? null : await store.run(runId);
  const [groups, total] = await Promise.all([store.costs(), store.ledger.spent({})]);
  return { groups, total, reused: run === null ? null : await store.reused(run.pipelineHash, run.id) };
}
