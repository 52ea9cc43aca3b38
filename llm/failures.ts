import type { CallClass, StoredAttempt } from '../schemas/ledger.ts';

/** What is done about a way to end, who pays for it and what a person reads: one row of the table of DESIGN §7. */
export interface FailurePolicy {
  readonly recognisedBy: string;
  /** Counted attempts of this class in one series after which the call fails; `delay` and `pause` classes never count. */
  readonly maxAttempts: number;
  readonly action: 'serve' | 'retry' | 'raise_cap' | 'repair' | 'delay' | 'pause' | 'stop';
  readonly backoff: { readonly firstMs: number; readonly factor: number; readonly maxMs: number } | null;
  /** `nobody`: cost 0. `us`: by usage. `unknown`: null, since the provider may have worked for us. */
  readonly paidBy: 'nobody' | 'us' | 'unknown';
  readonly reads: string;
}

const NONE = { backoff: null } as const;
const SLOWING = { backoff: { firstMs: 1000, factor: 2, maxMs: 60_000 } } as const;

/** The failure taxonomy as data; docs, the client, `calls` and the faults bench read this one table. */
export const FAILURES: Readonly<Record<CallClass, FailurePolicy>> = {
  ok: { ...NONE, recognisedBy: 'finish reason stop and a valid reply', maxAttempts: 1, action: 'serve', paidBy: 'us', reads: '' },
  truncated: {
    ...NONE,
    recognisedBy: 'finish reason length or max_tokens',
    maxAttempts: 2,
    action: 'raise_cap',
    paidBy: 'us',
    reads: 'The reply was cut at the token cap, twice the second time; raise maxTokensFactor of this model.',
  },
  refused: {
    ...NONE,
    recognisedBy: 'field refusal, or finish reason refusal',
    maxAttempts: 1,
    action: 'stop',
    paidBy: 'us',
    reads: 'The model refused to answer.',
  },
  content_filtered: {
    ...NONE,
    recognisedBy: 'finish reason content_filter, or a moderation error code',
    maxAttempts: 1,
    action: 'stop',
    paidBy: 'unknown',
    reads: "The provider's content filter stopped the call.",
  },
  empty: {
    backoff: { firstMs: 250, factor: 2, maxMs: 4000 },
    recognisedBy: 'finish reason stop with blank content',
    maxAttempts: 3,
    action: 'retry',
    paidBy: 'us',
    reads: 'The model answered with nothing.',
  },
  garbled: {
    backoff: { firstMs: 250, factor: 2, maxMs: 4000 },
    recognisedBy: 'finish reason stop with halves of characters (lone surrogates) in the content',
    maxAttempts: 3,
    action: 'retry',
    paidBy: 'us',
    reads: 'The reply holds broken characters.',
  },
  not_json: {
    ...NONE,
    recognisedBy: 'the reply parser',
    maxAttempts: 1,
    action: 'repair',
    paidBy: 'us',
    reads: 'The reply is not one JSON object.',
  },
  schema_mismatch: {
    ...NONE,
    recognisedBy: 'the reply schema',
    maxAttempts: 1,
    action: 'repair',
    paidBy: 'us',
    reads: 'The reply does not have the asked shape.',
  },
  rate_limited: {
    ...SLOWING,
    recognisedBy: 'HTTP 429 or a throttling code, per second or minute',
    maxAttempts: Number.POSITIVE_INFINITY,
    action: 'delay',
    paidBy: 'nobody',
    reads: 'The provider asked to slow down; the call waits and never counts this as an attempt.',
  },
  quota_exhausted: {
    ...NONE,
    recognisedBy: 'HTTP 429 that names a day, or asks to wait an hour or more',
    maxAttempts: Number.POSITIVE_INFINITY,
    action: 'pause',
    paidBy: 'nobody',
    reads: "The day's quota is used up; the run pauses until the stated time.",
  },
  no_credit: {
    ...NONE,
    recognisedBy: 'HTTP 402, insufficient_quota, arrearage, insufficient balance',
    maxAttempts: Number.POSITIVE_INFINITY,
    action: 'pause',
    paidBy: 'nobody',
    reads: 'The account has no credit left; top it up, then type: memcalib resume.',
  },
  network: {
    ...SLOWING,
    recognisedBy: 'connection refused, reset, or cut in mid-body',
    maxAttempts: 6,
    action: 'retry',
    paidBy: 'unknown',
    reads: 'The connection broke.',
  },
  timeout: {
    ...SLOWING,
    recognisedBy: 'no whole reply within timeoutSeconds on the wire, or HTTP 408, 504, 524',
    maxAttempts: 4,
    action: 'retry',
    paidBy: 'unknown',
    reads: 'No whole reply came in time; raise timeoutSeconds if the model is slow.',
  },
  server_error: {
    ...SLOWING,
    recognisedBy: 'HTTP 5xx, finish reason error, insufficient system resource',
    maxAttempts: 6,
    action: 'retry',
    paidBy: 'nobody',
    reads: 'The provider failed.',
  },
  config_error: {
    ...NONE,
    recognisedBy: 'other HTTP 4xx, or a redirect; 401, 403, 404, 405 and redirects concern the endpoint and pause the run',
    maxAttempts: 1,
    action: 'stop',
    paidBy: 'nobody',
    reads: 'The provider does not accept this request; mend the config, then type: memcalib retry --failed config_error.',
  },
  not_a_completion: {
    ...SLOWING,
    recognisedBy: 'HTTP 200 whose body is no chat completion',
    maxAttempts: 3,
    action: 'retry',
    paidBy: 'unknown',
    reads: 'The endpoint answered 200 with something that is no chat completion; look at baseUrl.',
  },
};

/** Finish-reason notes of config errors that concern the endpoint, not the call: they close the gate and never count. */
export const ENDPOINT_WIDE: ReadonlySet<string> = new Set(['http_401', 'http_403', 'http_404', 'http_405', 'redirect', 'model_unknown']);

/** Whether a stored attempt counts towards its policy: possibly paid, never sent, delayed and pausing ones do not. */
export function countsAsAttempt(attempt: StoredAttempt): boolean {
  if (attempt.class === null || attempt.class === 'ok') return false;
  if (attempt.latencyMs === null) return false;
  if (attempt.class === 'config_error' && ENDPOINT_WIDE.has(attempt.finishReason ?? '')) return false;
  return Number.isFinite(FAILURES[attempt.class].maxAttempts);
}
