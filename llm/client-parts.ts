import type { CallClass, CallCompletion, CallName, CallRequest, LedgerStore, TokenUsage } from '../schemas/ledger.ts';
import type { Budget } from './budget.ts';
import type { Clock } from './clock.ts';
import type { FirstReplies } from './first-replies.ts';
import type { Gate } from './gate.ts';
import type { LaneLimits } from './lane.ts';
import type { Limiter } from './limiter.ts';
import type { ChatEndpoint } from './openai-client.ts';
import type { PriceOf } from './prices.ts';
import type { StoredCalls } from './stored-calls.ts';

/** An endpoint with its limits, under the config's name for it. */
export interface Provider {
  readonly endpoint: ChatEndpoint;
  readonly limits: LaneLimits;
}

/** One finished exchange, for progress, books and the drift sentinel. Holds no text. */
export interface CallEvent {
  readonly request: CallName;
  readonly attempt: number;
  readonly class: CallClass;
  readonly usage: TokenUsage | null;
  readonly costMicroUsd: number | null;
  readonly latencyMs: number | null;
  readonly returnedModel: string | null;
  readonly fingerprint: string | null;
}

/** What all calls of a client share. */
export interface ClientParts {
  readonly ledger: LedgerStore;
  readonly stored: StoredCalls;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly limiter: Limiter;
  readonly budget: Budget;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly priceOf: PriceOf;
  readonly firstReplies: FirstReplies;
  /** Replies paid for that could not be written because the disk was full; written first once sending goes on. */
  readonly unwritten: Map<string, CallCompletion>;
  readonly onCall: (event: CallEvent) => void;
  /** Whether a call that would be sent now waits for a batch instead. */
  readonly isBatched: (request: CallRequest) => boolean;
}

/** Whether an error of the ledger says that the disk is full, which pauses instead of failing. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'disk_full' || code === 'ENOSPC';
}
