import type { BatchRow } from '../../schemas/batch.ts';
import type { CallCompletion, ReplyValidator, StoredAttempt } from '../../schemas/ledger.ts';
import { endInBatch, neverSent } from '../attempt.ts';
import type { EndedAttempt, NamedAttempt, Stop } from '../attempt.ts';
import type { ClientParts, Provider } from '../client-parts.ts';
import { customId, numberedLines, readLine } from './lines.ts';
import type { Unanswered } from './transport.ts';

/** The validator of a step's replies, by the step's id. */
export type ValidatorOf = (step: string) => ReplyValidator;

/** What reading results of one batch came to. */
export interface Ingested {
  /** Calls that got an answer of whatever class. */
  readonly answered: number;
  /** Lines nobody could use, each with its number, for a person to read. */
  readonly complaints: readonly string[];
  /** Set when an answer stops the run: no credit, a used-up quota, a refused key, or first replies nobody can use. */
  readonly stop: Stop | null;
  readonly microUsdByStep: ReadonlyMap<string, number>;
}

const PAGE = 200;
const MOST_SHOWN = 60;

interface Reading {
  readonly parts: ClientParts;
  readonly provider: Provider;
  readonly validatorOf: ValidatorOf;
  /** Calls that still wait, by the id their lines carry. Answered ones are taken out. */
  readonly waiting: Map<string, StoredAttempt>;
  readonly known: ReadonlySet<string>;
  readonly microUsdByStep: Map<string, number>;
  answered: number;
  stop: Stop | null;
}

/**
 * Reads results files into the ledger: known open ids only, the same classes and checks as an answer that came alone.
 * `known` holds every id of the batch; a line cut at the very end counts as still being written unless `final`.
 */
export async function ingestResults(
  parts: ClientParts,
  provider: Provider,
  validatorOf: ValidatorOf,
  batch: { readonly waiting: Map<string, StoredAttempt>; readonly known: ReadonlySet<string>; readonly final: boolean },
  files: readonly string[],
): Promise<Ingested> {
  const reading: Reading = { parts, provider, validatorOf, ...batch, microUsdByStep: new Map(), answered: 0, stop: null };
  const complaints: string[] = [];
  let page: EndedAttempt[] = [];
  const names = new Map<CallCompletion, StoredAttempt>();
  const flush = async (): Promise<void> => {
    await keep(reading, page, names);
    page = [];
    names.clear();
  };
  for (const file of files) {
    for await (const { number, text, ended } of numberedLines(file)) {
      const line = text === null ? ({ kind: 'broken', why: 'is longer than 16 MiB' } as const) : readLine(text);
      if (line.kind === 'broken') {
        if (ended || batch.final) complaints.push(`line ${number} ${line.why}`);
        continue;
      }
      const attempt = reading.waiting.get(line.id);
      if (attempt === undefined) {
        if (!batch.known.has(line.id)) complaints.push(`line ${number} names an unknown request ${line.id.slice(0, MOST_SHOWN)}`);
        continue;
      }
      reading.waiting.delete(line.id);
      const open = openOf(attempt);
      if (line.kind === 'unanswered') {
        const completion = unansweredCompletion(open, line.code === 'batch_expired' ? 'expired' : 'cancelled', parts.clock.now());
        page.push({ completion, broken: null, stop: null, thrown: undefined });
      } else page.push(endInBatch(parts, provider, open, line.reply, validatorOf(attempt.step)));
      names.set((page.at(-1) as EndedAttempt).completion, attempt);
      if (page.length >= PAGE) await flush();
    }
  }
  await flush();
  return { answered: reading.answered, complaints, stop: reading.stop, microUsdByStep: reading.microUsdByStep };
}

/** Ends calls a batch that is over left without an answer, so that they are asked again. */
export async function endUnanswered(parts: ClientParts, waiting: Iterable<StoredAttempt>, why: Unanswered): Promise<number> {
  const now = parts.clock.now();
  const completions = [...waiting].map((attempt) => unansweredCompletion(openOf(attempt), why, now));
  for (let from = 0; from < completions.length; from += PAGE) await parts.ledger.writeCompletions(completions.slice(from, from + PAGE));
  for (const { key } of completions) parts.stored.invalidate(key);
  return completions.length;
}

/** Calls of a batch by their custom ids: all of them, and those whose attempt is still open. */
export async function membersOf(
  parts: ClientParts,
  calls: readonly { readonly key: string; readonly attempt: number }[],
): Promise<{ readonly waiting: Map<string, StoredAttempt>; readonly known: ReadonlySet<string> }> {
  const stored = await parts.ledger.attempts([...new Set(calls.map(({ key }) => key))]);
  const waiting = new Map<string, StoredAttempt>();
  for (const call of calls) {
    const attempt = stored.get(call.key)?.find((item) => item.attempt === call.attempt);
    if (attempt !== undefined && attempt.completedAt === null) waiting.set(customId(call), attempt);
  }
  return { waiting, known: new Set(calls.map((call) => customId(call))) };
}

/** One sentence on what became of a batch, with every line that could not be used. */
export function outcomeNote(batch: BatchRow, answered: number, complaints: readonly string[], again: number): string {
  const shown = complaints.slice(0, 12).join(', ');
  const more = complaints.length > 12 ? ` and ${complaints.length - 12} more lines` : '';
  const lines = complaints.length === 0 ? '' : `; ${shown}${more}`;
  return `Of batch ${batch.id} ${answered} answers were kept${lines}${again === 0 ? '' : `; ${again} are asked again`}.`;
}

async function keep(reading: Reading, page: readonly EndedAttempt[], names: ReadonlyMap<CallCompletion, StoredAttempt>): Promise<void> {
  if (page.length === 0) return;
  const { parts, microUsdByStep } = reading;
  await parts.ledger.writeCompletions(page.map(({ completion }) => completion));
  for (const { completion, stop } of page) {
    const request = names.get(completion);
    if (request === undefined) continue;
    parts.stored.invalidate(completion.key);
    reading.answered += 1;
    reading.stop ??= stop;
    const { attempt, usage, costMicroUsd, latencyMs, returnedModel, fingerprint } = completion;
    microUsdByStep.set(request.step, (microUsdByStep.get(request.step) ?? 0) + (costMicroUsd ?? 0));
    parts.onCall({ request, attempt, class: completion.class, usage, costMicroUsd, latencyMs, returnedModel, fingerprint });
    const hopeless = parts.firstReplies.observe(request, completion.class, completion.replyText, completion.message ?? '');
    if (hopeless !== null) reading.stop ??= { reason: 'parse_rate', detail: hopeless, until: null };
  }
}

function openOf(attempt: StoredAttempt): NamedAttempt {
  return { request: attempt, attempt: attempt.attempt, series: attempt.series, intendedAt: attempt.intendedAt };
}

const WHY: Readonly<Record<Unanswered, string>> = {
  expired: 'The batch expired before this call was answered.',
  cancelled: 'The batch was cancelled before this call was answered.',
  left_out: 'The results file held no usable answer to this call.',
  lost: 'The batch ended without an answer to this call.',
};

/** What left no trace at the provider is no attempt; what expired or was lost is one, so that it cannot go round for ever. */
function unansweredCompletion(open: NamedAttempt, why: Unanswered, now: number): CallCompletion {
  const free = { ...neverSent(open, why, now), message: WHY[why] };
  if (why === 'left_out' || why === 'cancelled') return free;
  const latencyMs = Math.min(2_147_483_647, Math.max(0, now - open.intendedAt));
  return why === 'expired' ? { ...free, class: 'timeout', latencyMs } : { ...free, latencyMs, costMicroUsd: null };
}
