import type { JsonObject } from './json.ts';
import type { CallRole, StepId } from './steps.ts';

/** How a call ended (DESIGN §7). `ok` is the only success; everything else is recorded, never served. */
export const CALL_CLASSES = [
  'ok',
  'truncated',
  'refused',
  'content_filtered',
  'empty',
  'garbled',
  'not_json',
  'schema_mismatch',
  'rate_limited',
  'quota_exhausted',
  'no_credit',
  'network',
  'timeout',
  'server_error',
  'config_error',
  'not_a_completion',
] as const;
export type CallClass = (typeof CALL_CLASSES)[number];

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What is asked of structured output; fixed per (provider, model) at plan time and part of the key. */
export type ResponseFormat =
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: JsonObject }
  | { readonly type: 'json_object' }
  | { readonly type: 'text' };

export interface Sampling {
  readonly temperature: number;
  readonly topP?: number;
  readonly seed?: number;
  /** Vendor fields, sent at the top level of the body (e.g. `enable_thinking`). */
  readonly extra?: JsonObject;
}

/** Everything that decides the reply: hashed (canonical JSON, SHA-256) this is the ledger key. */
export interface CallContent {
  readonly provider: string;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly sampling: Sampling;
  readonly responseFormat: ResponseFormat;
  readonly sampleIndex: number;
}

/** A request as the pipeline makes it: content plus bookkeeping that never enters the key. */
export interface CallRequest extends CallContent {
  readonly key: string;
  readonly maxTokens: number;
  readonly runId: string;
  readonly step: StepId | 'canary' | 'probe' | 'judge';
  readonly partId: string;
  readonly candidateId: string;
  readonly role: CallRole;
  readonly turn: 'first' | 'repair';
}

/** Which call it is, without what was sent: requests and stored attempts both say so. */
export type CallName = Pick<CallRequest, 'key' | 'provider' | 'model' | 'runId' | 'partId' | 'candidateId' | 'turn'> & {
  readonly step: string;
  readonly role: string;
};

export interface TokenUsage {
  /** Input tokens not served from the provider's cache. */
  readonly freshInput: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** A numbered attempt under a key, as stored. An intent without completion has `completedAt` null and may have been paid. */
export interface StoredAttempt {
  readonly key: string;
  readonly attempt: number;
  /** Opened anew by `retry --failed`; policies count attempts of the latest series only. */
  readonly series: number;
  readonly runId: string;
  readonly step: string;
  readonly partId: string;
  readonly candidateId: string;
  readonly role: string;
  readonly turn: 'first' | 'repair';
  readonly provider: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly intendedAt: number;
  readonly completedAt: number | null;
  readonly class: CallClass | null;
  readonly finishReason: string | null;
  readonly usage: TokenUsage | null;
  readonly costMicroUsd: number | null;
  readonly latencyMs: number | null;
  readonly returnedModel: string | null;
  readonly fingerprint: string | null;
  readonly requestId: string | null;
  /** One sentence for a person when the class is not `ok`; never holds secrets or row text. */
  readonly message: string | null;
}

export interface CallIntent {
  readonly request: CallRequest;
  readonly attempt: number;
  readonly series: number;
  readonly maxTokens: number;
  readonly intendedAt: number;
}

export interface CallCompletion {
  readonly key: string;
  readonly attempt: number;
  readonly series: number;
  readonly class: CallClass;
  /** Content of the assistant message as received (reasoning stripped for parsing only); null when there was none. */
  readonly replyText: string | null;
  /** The raw response body, for `calls --show`; size-capped by the client. */
  readonly rawBody: string | null;
  readonly finishReason: string | null;
  readonly usage: TokenUsage | null;
  readonly costMicroUsd: number | null;
  readonly latencyMs: number | null;
  readonly returnedModel: string | null;
  readonly fingerprint: string | null;
  readonly requestId: string | null;
  readonly message: string | null;
  readonly completedAt: number;
}

/** The stored reply that is served for a key: first durable `ok`, or the last reply of an invalid attempt (for repair turns). */
export interface StoredReply {
  readonly key: string;
  readonly attempt: number;
  readonly replyText: string;
}

/** The durable half of the ledger. Every method is batched; writes resolve after their commit (group commit inside). */
export interface LedgerStore {
  /** Attempts of each key in order of their number; keys without any are absent. One query per call. */
  attempts(keys: readonly string[]): Promise<ReadonlyMap<string, readonly StoredAttempt[]>>;
  /** Current series of each key (0 when never reopened). */
  series(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  writeIntents(intents: readonly CallIntent[]): Promise<void>;
  writeCompletions(completions: readonly CallCompletion[]): Promise<void>;
  /** Verified replies (sha256 checked; a flipped byte throws a StoreError naming the key). */
  replies(attempts: readonly { readonly key: string; readonly attempt: number }[]): Promise<readonly StoredReply[]>;
  /** Opens a new series for keys whose latest series ended in failure. */
  openSeries(keys: readonly string[], runId: string): Promise<void>;
  /** Sum of known costs and the number of calls whose cost is unknown, over a run, a step of a run, or since a time. */
  spent(scope: {
    readonly runId?: string;
    readonly step?: string;
    readonly sinceMs?: number;
  }): Promise<{ readonly microUsd: number; readonly unknownCalls: number; readonly calls: number }>;
  /** What was sent under each key, verified; unknown keys are absent. */
  requests(keys: readonly string[]): Promise<ReadonlyMap<string, CallContent>>;
  /** The calls of a scope whose cost is unknown, by model; those that are out in a batch are left out (their money is set aside). */
  unpriced(scope: Parameters<LedgerStore['spent']>[0]): Promise<readonly UnpricedCalls[]>;
}

/** Calls of one model that may have been billed and whose cost nobody told. */
export interface UnpricedCalls {
  readonly provider: string;
  readonly model: string;
  readonly batched: boolean;
  readonly calls: number;
  /** Their keys, one a call; of very many the first ones only. */
  readonly keys: readonly string[];
}

/** What a caller of the model client gets. Never throws for anything a provider did. */
export type CallOutcome =
  | { readonly kind: 'reply'; readonly text: string; readonly attempt: number; readonly served: 'ledger' | 'fresh' }
  /** The reply came whole but failed validation (`not_json` or `schema_mismatch`): the caller may use its one repair turn. */
  | {
      readonly kind: 'invalid';
      readonly class: 'not_json' | 'schema_mismatch';
      readonly text: string;
      readonly rule: string;
      readonly path: string;
      readonly served: 'ledger' | 'fresh';
    }
  /** Terminal for this series: stays failed at 0 calls until `retry --failed`. */
  | { readonly kind: 'failed'; readonly class: CallClass; readonly message: string }
  /** The call waits for a batch that is out or about to go: ask again once it has been answered. */
  | { readonly kind: 'batched' }
  /** The gate is closed (pause, budget, quota, disk): nothing was sent; the workflow waits. */
  | { readonly kind: 'paused'; readonly reason: string; readonly until: number | null };

/** Decides whether a whole reply is usable; runs before the attempt is completed, so that its class is stored. */
export type ReplyValidator = (
  text: string,
) =>
  | { readonly ok: true }
  | { readonly ok: false; readonly class: 'not_json' | 'schema_mismatch'; readonly rule: string; readonly path: string };

/** The one door to models: dedupes, limits, charges, commits. */
export interface ModelClient {
  /** Loads what is stored under these keys with one query, so that following `call`s need none. */
  prefetch(keys: readonly string[]): Promise<void>;
  call(request: CallRequest, validate: ReplyValidator): Promise<CallOutcome>;
}
