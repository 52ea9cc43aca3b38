import type { CallClass, CallCompletion, CallName, CallRequest, ReplyValidator, StoredAttempt } from '../schemas/ledger.ts';
import { classify, classifyTransport } from './classify.ts';
import type { Classified } from './classify.ts';
import type { ClientParts, Provider } from './client-parts.ts';
import { ENDPOINT_WIDE, FAILURES } from './failures.ts';
import { batchPrice, costMicroUsd } from './prices.ts';
import type { Slot } from './lane.ts';
import type { WireReply } from './wire.ts';

/** An attempt whose intent is durable. */
export interface OpenAttempt {
  readonly request: CallRequest;
  readonly attempt: number;
  readonly series: number;
  readonly maxTokens: number;
  readonly intendedAt: number;
}

/** Why the run pauses, as the gate is told. */
export interface Stop {
  readonly reason: string;
  readonly detail: string;
  readonly until: number | null;
}

/** How an attempt ended: what is written, and what the present caller needs of it. */
export interface EndedAttempt {
  readonly completion: CallCompletion;
  /** What a validator threw (a fault of ours): the reply is kept as `ok`, so that it is not paid again, and the error goes on. */
  readonly thrown: unknown;
  /** Set when the answer stops the run. */
  readonly stop: Stop | null;
  /** Set when the reply was whole but broke a rule. */
  readonly broken: { readonly class: 'not_json' | 'schema_mismatch'; readonly rule: string; readonly path: string } | null;
}

/** A connection that never stood carried nothing, so nobody was paid. */
const NEVER_CONNECTED = /\((ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\)$/;
/** What a 32-bit column holds: an answer to a file may take weeks. */
const LONGEST_LATENCY_MS = 2_147_483_647;
const LONGEST_RAW_BODY = 256 * 1024;

/** Sends on an open slot, releases it at the last byte, and names what came back; the validator decides before anything is written. */
export async function sendOn(
  parts: ClientParts,
  provider: Provider,
  open: OpenAttempt,
  slot: Slot,
  validate: ReplyValidator,
  closeGate: (stop: Stop) => Promise<unknown>,
): Promise<EndedAttempt> {
  const { clock } = parts;
  const sentAt = clock.now();
  const outcome = await provider.endpoint.complete(open.request, open.maxTokens);
  const receivedAt = clock.now();
  const reply = 'reply' in outcome ? outcome.reply : null;
  const answer = 'reply' in outcome ? classify(outcome.reply, receivedAt) : classifyTransport(outcome.failure);
  // The gate says closed before the place on the wire is free, so that nobody sends into an empty account.
  const stop = stopOf(provider, answer);
  const closing = stop === null ? null : closeGate(stop);
  slot.release({
    class: answer.class,
    tokens: answer.usage === null ? null : answer.usage.freshInput + answer.usage.cachedInput + answer.usage.output,
    retryAfterMs: answer.retryAfterMs,
    headers: reply?.headers ?? {},
  });
  const ended = named(parts, provider, open, { reply, answer, stop, sentAt, receivedAt, batched: false }, validate);
  await closing;
  return ended;
}

/** An attempt as the ledger knows it while it is open. */
export type NamedAttempt = Pick<OpenAttempt, 'attempt' | 'series' | 'intendedAt'> & { readonly request: CallName };

/** Names the answer that came back for an open attempt in a batch, as `sendOn` does for one that came alone. */
export function endInBatch(
  parts: ClientParts,
  provider: Provider,
  open: NamedAttempt,
  reply: WireReply,
  validate: ReplyValidator,
): EndedAttempt {
  const receivedAt = parts.clock.now();
  const answer = classify(reply, receivedAt);
  const seen = { reply, answer, stop: stopOf(provider, answer), sentAt: open.intendedAt, receivedAt, batched: true };
  return named(parts, provider, open, seen, validate);
}

interface Seen {
  readonly reply: WireReply | null;
  readonly answer: Classified;
  readonly stop: Stop | null;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly batched: boolean;
}

function named(parts: ClientParts, provider: Provider, open: NamedAttempt, seen: Seen, validate: ReplyValidator): EndedAttempt {
  const { reply, answer, stop, sentAt, receivedAt, batched } = seen;
  const { verdict, thrown } = judge(answer, validate);
  const broken = verdict === null || verdict.ok ? null : { class: verdict.class, rule: verdict.rule, path: verdict.path };
  const finalClass = broken?.class ?? answer.class;
  const { secrets } = provider.endpoint;
  const completion: CallCompletion = {
    key: open.request.key,
    attempt: open.attempt,
    series: open.series,
    class: finalClass,
    replyText: answer.text === null ? null : secrets.redact(answer.text),
    rawBody: reply === null ? null : secrets.redact(cutBody(reply.body)),
    finishReason: answer.finishReason,
    usage: answer.usage,
    costMicroUsd: costOf(parts, open.request, finalClass, answer, batched),
    latencyMs: Math.min(LONGEST_LATENCY_MS, Math.max(0, receivedAt - sentAt)),
    returnedModel: answer.returnedModel,
    fingerprint: answer.fingerprint,
    requestId: answer.requestId,
    message: messageOf(provider, answer, broken),
    completedAt: receivedAt,
  };
  return { completion, stop, broken, thrown };
}

/** The completion of an intent that never went out: free, and no attempt in the eyes of any policy (it has no latency). */
export function neverSent(open: NamedAttempt, why: string, now: number): CallCompletion {
  return {
    key: open.request.key,
    attempt: open.attempt,
    series: open.series,
    class: 'network',
    replyText: null,
    rawBody: null,
    finishReason: null,
    usage: null,
    costMicroUsd: 0,
    latencyMs: null,
    returnedModel: null,
    fingerprint: null,
    requestId: null,
    message: `Never sent: ${why}.`,
    completedAt: now,
  };
}

/** The attempt as a later look-up would find it. */
export function asStored(open: OpenAttempt, completion: CallCompletion): StoredAttempt {
  const { request, attempt, series, maxTokens, intendedAt } = open;
  const { runId, step, partId, candidateId, role, turn, provider, model } = request;
  const { replyText: _reply, rawBody: _body, ...ended } = completion;
  return { ...ended, attempt, series, runId, step, partId, candidateId, role, turn, provider, model, maxTokens, intendedAt };
}

function judge(
  answer: Classified,
  validate: ReplyValidator,
): { readonly verdict: ReturnType<ReplyValidator> | null; readonly thrown: unknown } {
  if (answer.class !== 'ok') return { verdict: null, thrown: undefined };
  try {
    return { verdict: validate(answer.text ?? ''), thrown: undefined };
  } catch (thrown) {
    return { verdict: null, thrown: thrown ?? new Error('a validator threw nothing') };
  }
}

function stopOf(provider: Provider, answer: Classified): Stop | null {
  const detail = provider.endpoint.secrets.redactMessage(answer.message ?? '');
  if (answer.class === 'quota_exhausted') return { reason: 'quota', detail, until: answer.until };
  if (answer.class === 'no_credit') return { reason: 'no_credit', detail, until: null };
  const endpointWide = answer.class === 'config_error' && ENDPOINT_WIDE.has(answer.finishReason ?? '');
  return endpointWide ? { reason: 'config_error', detail, until: null } : null;
}

function costOf(parts: ClientParts, request: CallName, ended: CallClass, answer: Classified, batched: boolean): number | null {
  const wasFree = FAILURES[ended].paidBy === 'nobody' || (ended === 'network' && NEVER_CONNECTED.test(answer.message ?? ''));
  if (answer.usage === null && wasFree) return 0;
  const price = parts.priceOf(request.provider, request.model);
  return costMicroUsd(batched ? batchPrice(price) : price, answer.usage);
}

function messageOf(provider: Provider, answer: Classified, broken: EndedAttempt['broken']): string | null {
  if (broken !== null) {
    const at = broken.path === '' ? '' : ` at ${broken.path}`;
    return `${FAILURES[broken.class].reads} (${broken.rule}${at})`;
  }
  return answer.message === null ? null : provider.endpoint.secrets.redactMessage(answer.message);
}

function cutBody(body: string): string {
  return body.length <= LONGEST_RAW_BODY ? body : `${body.slice(0, LONGEST_RAW_BODY)}\n[cut: ${body.length} characters in all]`;
}
