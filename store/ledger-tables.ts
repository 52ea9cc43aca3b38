import { CALL_CLASSES, type CallCompletion, type CallIntent, type StoredAttempt } from '../schemas/ledger.ts';
import { number, numberOrNull, oneOf, text, textOrNull, type ResultRow } from './rows.ts';
import { defineTable, type RowOf } from './table.ts';

/** Intents: one row per numbered attempt, written before the call. */
export const CALLS = defineTable('calls', {
  call_no: 'int',
  key: 'text',
  attempt: 'int',
  series: 'int',
  run_id: 'text',
  step: 'text',
  part_id: 'text',
  candidate_id: 'text',
  role: 'text',
  turn: 'text',
  provider: 'text',
  model: 'text',
  max_tokens: 'int',
  intended_at: 'long',
});

/** What was sent under a key, without the texts that many calls share. */
export const CALL_REQUESTS = defineTable('call_requests', { call_no: 'int', body: 'blob', sha256: 'text' });

/** System prompts and response formats, once by hash. */
export const SHARED_TEXTS = defineTable('shared_texts', { hash: 'text', body: 'blob' });

/** How attempts ended: one row per completion, duplicates included. */
export const COMPLETIONS = defineTable('completions', {
  completion_no: 'int',
  call_no: 'int',
  class: 'text',
  finish_reason: 'text',
  fresh_input: 'int',
  cached_input: 'int',
  output: 'int',
  cost_micro_usd: 'long',
  latency_ms: 'int',
  returned_model: 'text',
  fingerprint: 'text',
  request_id: 'text',
  message: 'text',
  completed_at: 'long',
});

/** Reply text and raw response body of a completion, deflated together (they repeat each other). */
export const CALL_REPLIES = defineTable('call_replies', {
  completion_no: 'int',
  reply_bytes: 'int',
  raw_bytes: 'int',
  body: 'blob',
  sha256: 'text',
});

/** Series opened anew by `retry --failed`. */
export const CALL_SERIES = defineTable('call_series', { no: 'int', key: 'text', series: 'int', run_id: 'text', at_ms: 'long' });

/** The row of an intent. */
export function intentRow(intent: CallIntent, callNo: number): RowOf<typeof CALLS> {
  const { request } = intent;
  return {
    call_no: callNo,
    key: request.key,
    attempt: intent.attempt,
    series: intent.series,
    run_id: request.runId,
    step: request.step,
    part_id: request.partId,
    candidate_id: request.candidateId,
    role: request.role,
    turn: request.turn,
    provider: request.provider,
    model: request.model,
    max_tokens: whole(intent.maxTokens),
    intended_at: whole(intent.intendedAt),
  };
}

/** The row of a completion; fractions are rounded rather than refused, because a paid reply must never be lost to one. */
export function completionRow(completion: CallCompletion, callNo: number, completionNo: number): RowOf<typeof COMPLETIONS> {
  return {
    completion_no: completionNo,
    call_no: callNo,
    class: completion.class,
    finish_reason: completion.finishReason,
    fresh_input: whole(completion.usage?.freshInput),
    cached_input: whole(completion.usage?.cachedInput),
    output: whole(completion.usage?.output),
    cost_micro_usd: whole(completion.costMicroUsd),
    latency_ms: whole(completion.latencyMs),
    returned_model: completion.returnedModel,
    fingerprint: completion.fingerprint,
    request_id: completion.requestId,
    message: completion.message,
    completed_at: whole(completion.completedAt),
  };
}

/** Puts an attempt together from its intent and the completion that counts (undefined while open). */
export function storedAttempt(call: ResultRow, done: ResultRow | undefined): StoredAttempt {
  const usage =
    done === undefined || done['fresh_input'] === null
      ? null
      : { freshInput: number(done, 'fresh_input'), cachedInput: number(done, 'cached_input'), output: number(done, 'output') };
  return {
    key: text(call, 'key'),
    attempt: number(call, 'attempt'),
    series: number(call, 'series'),
    runId: text(call, 'run_id'),
    step: text(call, 'step'),
    partId: text(call, 'part_id'),
    candidateId: text(call, 'candidate_id'),
    role: text(call, 'role'),
    turn: oneOf(call, 'turn', ['first', 'repair']),
    provider: text(call, 'provider'),
    model: text(call, 'model'),
    maxTokens: number(call, 'max_tokens'),
    intendedAt: number(call, 'intended_at'),
    completedAt: done === undefined ? null : number(done, 'completed_at'),
    class: done === undefined ? null : oneOf(done, 'class', CALL_CLASSES),
    finishReason: done === undefined ? null : textOrNull(done, 'finish_reason'),
    usage,
    costMicroUsd: done === undefined ? null : numberOrNull(done, 'cost_micro_usd'),
    latencyMs: done === undefined ? null : numberOrNull(done, 'latency_ms'),
    returnedModel: done === undefined ? null : textOrNull(done, 'returned_model'),
    fingerprint: done === undefined ? null : textOrNull(done, 'fingerprint'),
    requestId: done === undefined ? null : textOrNull(done, 'request_id'),
    message: done === undefined ? null : textOrNull(done, 'message'),
  };
}

function whole(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Math.round(value);
}
