import type { CallClass, TokenUsage } from '../schemas/ledger.ts';
import { nextUtcMidnight } from './clock.ts';
import { CompletionBody, contentOf, usageOf, wellFormed } from './completion-body.ts';
import { classOfError, errorIn, statusIn } from './error-signals.ts';
import type { ProviderError } from './error-signals.ts';
import { FAILURES } from './failures.ts';
import { LONGEST_WAIT_MS, retryAfterMs } from './retry-after.ts';
import type { TransportFailure, WireReply } from './wire.ts';

/** What one exchange came to, before the reply parser has looked. `until` is set when the class is a day's quota. */
export interface Classified {
  readonly class: CallClass;
  readonly text: string | null;
  readonly finishReason: string | null;
  readonly usage: TokenUsage | null;
  readonly returnedModel: string | null;
  readonly fingerprint: string | null;
  readonly requestId: string | null;
  readonly message: string | null;
  readonly retryAfterMs: number | null;
  readonly until: number | null;
}

const WHOLE = new Set(['stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token', 'complete', 'completed']);
const CUT = new Set(['length', 'max_tokens', 'max_length', 'model_length']);
const FILTERED = new Set(['content_filter', 'safety', 'prohibited_content', 'sensitive']);
const PROVIDER_FAULT = new Set(['error', 'abort', 'insufficient_system_resource', 'network_error']);
const HOUR_MS = 3_600_000;
const LONGEST_NAME = 200;

const NOTHING = {
  text: null,
  finishReason: null,
  usage: null,
  returnedModel: null,
  fingerprint: null,
  requestId: null,
  message: null,
  retryAfterMs: null,
  until: null,
} as const;

/** Names what a whole reply is: status and error body first, then the finish reason; the reply parser comes after. */
export function classify(reply: WireReply, nowMs: number): Classified {
  const requestId = reply.headers['x-request-id'] ?? reply.headers['request-id'] ?? null;
  const body = parseJson(reply.body);
  if (reply.status < 200 || reply.status > 299) return { ...errorAnswer(reply.status, reply, body, nowMs), requestId };
  const parsed = CompletionBody.safeParse(body);
  const choice = parsed.data?.choices[0];
  const error = errorIn(body) ?? (choice?.error == null ? null : errorIn({ error: choice.error }));
  if (error !== null && choice?.message?.content == null) {
    return { ...errorAnswer(statusIn(error) ?? 200, reply, { error }, nowMs), requestId };
  }
  if (!parsed.success || choice === undefined) return { ...NOTHING, class: 'not_a_completion', requestId, message: strangeBody(reply) };
  return { ...NOTHING, ...completionAnswer(parsed.data, choice), requestId };
}

/** Names what a broken exchange is. */
export function classifyTransport(failure: TransportFailure): Classified {
  const failureClass = failure.kind === 'too_large' ? 'not_a_completion' : failure.kind;
  return { ...NOTHING, class: failureClass, message: `${FAILURES[failureClass].reads} (${failure.detail})` };
}

function completionAnswer(
  body: CompletionBody,
  choice: CompletionBody['choices'][number],
): Omit<Classified, 'retryAfterMs' | 'until' | 'requestId'> {
  const finishReason = shortened(choice.finish_reason);
  const content = contentOf(choice);
  const text = content === null ? null : wellFormed(content);
  const [ended, reason] = classOfFinish((finishReason ?? '').toLowerCase(), text, (choice.message?.refusal ?? '') !== '');
  // What was meant by half a character is lost: text with a hole would stand in an example for ever, so it is asked again.
  const [callClass, message] = ended === 'ok' && text !== content ? named('garbled') : [ended, reason];
  return {
    class: callClass,
    text,
    finishReason,
    usage: usageOf(body),
    returnedModel: shortened(body.model),
    fingerprint: shortened(body.system_fingerprint),
    message,
  };
}

/** Names are kept and shown: one of a megabyte is no name. */
function shortened(name: string | null | undefined): string | null {
  return name?.slice(0, LONGEST_NAME) ?? null;
}

function classOfFinish(finish: string, text: string | null, refusal: boolean): readonly [CallClass, string | null] {
  if (CUT.has(finish)) return named('truncated');
  if (FILTERED.has(finish)) return named('content_filtered');
  if (refusal || finish === 'refusal') return named('refused');
  if (PROVIDER_FAULT.has(finish)) return named('server_error');
  if (!WHOLE.has(finish)) {
    if (finish === 'load' && text === null) return named('empty');
    return ['not_a_completion', `The reply ended with finish reason "${finish.slice(0, 40)}", which does not say that it is whole.`];
  }
  return text === null ? named('empty') : ['ok', null];
}

function named(callClass: CallClass): readonly [CallClass, string] {
  return [callClass, FAILURES[callClass].reads];
}

function errorAnswer(status: number, reply: WireReply, body: unknown, nowMs: number): Classified {
  const error: ProviderError = errorIn(body) ?? { code: '', message: '', resetAt: null };
  const waitMs =
    retryAfterMs(reply.headers, error.message, nowMs) ??
    (error.resetAt === null ? null : Math.min(LONGEST_WAIT_MS, Math.max(0, error.resetAt - nowMs)));
  let errorClass = classOfError(status, error) ?? 'not_a_completion';
  if (errorClass === 'rate_limited' && waitMs !== null && waitMs >= HOUR_MS) errorClass = 'quota_exhausted';
  return {
    ...NOTHING,
    class: errorClass,
    finishReason: status === 200 ? null : errorNote(status, error),
    message: `${FAILURES[errorClass].reads} (${saidBy(status, reply, error)})`,
    retryAfterMs: waitMs,
    until: errorClass === 'quota_exhausted' ? (waitMs === null ? nextUtcMidnight(nowMs) : nowMs + waitMs) : null,
  };
}

function errorNote(status: number, error: ProviderError): string {
  if (status >= 300 && status < 400) return 'redirect';
  return status === 400 && /model_?not_?(found|supported|exist)/i.test(error.code) ? 'model_unknown' : `http_${status}`;
}

function saidBy(status: number, reply: WireReply, error: ProviderError): string {
  const target = status >= 300 && status < 400 ? ` redirects to ${hostOf(reply.headers['location'])}` : '';
  const words = [error.code, error.message.replace(/\s+/g, ' ').slice(0, 160)].filter((part) => part !== '').join(': ');
  return `HTTP ${status}${target}${words === '' ? '' : `, ${words}`}`;
}

function hostOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).host : 'another path';
}

function strangeBody(reply: WireReply): string {
  const kind = /^\s*</.test(reply.body) ? 'HTML' : (reply.headers['content-type'] ?? 'no content type').split(';')[0];
  return `${FAILURES.not_a_completion.reads} (${kind}, ${reply.body.length} characters)`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
