import { z } from 'zod';
import { systemClock } from '../../llm/clock.ts';
import type { Clock } from '../../llm/clock.ts';
import type { CallEvent } from '../../llm/client-parts.ts';
import type { BudgetCaps } from '../../llm/budget.ts';
import type { Gate, GateState } from '../../llm/gate.ts';
import { callKey } from '../../llm/key.ts';
import type { LaneLimits } from '../../llm/lane.ts';
import { createModelClient } from '../../llm/ledger-client.ts';
import type { LedgerModelClient } from '../../llm/ledger-client.ts';
import { createLimiter } from '../../llm/limiter.ts';
import type { Limiter } from '../../llm/limiter.ts';
import { createEndpoint } from '../../llm/openai-client.ts';
import { priceBook } from '../../llm/prices.ts';
import { parseReply } from '../../llm/reply-parser.ts';
import type { CallContent, CallRequest, ReplyValidator } from '../../schemas/ledger.ts';
import { MemoryLedger } from './memory-ledger.ts';
import type { ScriptedServer } from './scripted-server.ts';

/** A gate in memory that remembers what closed it. */
export class MemoryGate implements Gate {
  readonly closings: { readonly reason: string; readonly detail: string; readonly until: number | null }[] = [];
  #state: GateState = { closed: false, reason: '', until: null };
  readonly #listeners = new Set<() => void>();

  state(): GateState {
    return this.#state;
  }

  async close(reason: string, detail: string, until: number | null): Promise<void> {
    this.closings.push({ reason, detail, until });
    this.#change({ closed: true, reason, until });
  }

  open(): void {
    this.#change({ closed: false, reason: '', until: null });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #change(state: GateState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export interface TestClient {
  readonly client: LedgerModelClient;
  readonly ledger: MemoryLedger;
  readonly gate: MemoryGate;
  readonly limiter: Limiter;
  readonly events: CallEvent[];
}

export const PRICE = { inputPerMillionUsd: 1, cachedInputPerMillionUsd: 0.5, outputPerMillionUsd: 2 };

/** A client on one scripted endpoint named `p`. */
export function testClient(
  server: Pick<ScriptedServer, 'baseUrl'>,
  over: {
    readonly clock?: Clock;
    readonly ledger?: MemoryLedger;
    readonly gate?: MemoryGate;
    readonly limiter?: Limiter;
    readonly limits?: LaneLimits;
    readonly caps?: (runId: string) => BudgetCaps;
    readonly timeoutMs?: number;
    readonly apiKey?: string;
    readonly priced?: boolean;
  } = {},
): TestClient {
  const clock = over.clock ?? systemClock;
  const ledger = over.ledger ?? new MemoryLedger();
  const gate = over.gate ?? new MemoryGate();
  const limiter = over.limiter ?? createLimiter(clock);
  const events: CallEvent[] = [];
  const endpoint = createEndpoint({
    name: 'p',
    baseUrl: server.baseUrl,
    timeoutMs: over.timeoutMs ?? 60_000,
    // The wire is real, so its time limit is too.
    clock: systemClock,
    ...(over.apiKey === undefined ? {} : { apiKey: over.apiKey }),
  });
  const client = createModelClient({
    ledger,
    providers: new Map([['p', { endpoint, limits: over.limits ?? { concurrency: 8, startConcurrency: 8 } }]]),
    limiter,
    priceOf: priceBook(over.priced === false ? {} : { m: PRICE }),
    caps: over.caps ?? (() => ({})),
    gate,
    clock,
    onCall: (event) => events.push(event),
  });
  return { client, ledger, gate, limiter, events };
}

export function request(text: string, over: Partial<CallRequest> = {}): CallRequest {
  const content: CallContent = {
    provider: 'p',
    model: 'm',
    messages: [{ role: 'user', content: text }],
    sampling: { temperature: 0 },
    responseFormat: { type: 'json_object' },
    sampleIndex: 0,
  };
  const full = { ...content, ...over };
  return {
    ...full,
    key: callKey(full),
    maxTokens: over.maxTokens ?? 400,
    runId: over.runId ?? 'run-1',
    step: over.step ?? 'screen',
    partId: 'main',
    candidateId: 'c-1',
    role: over.role ?? 'builder',
    turn: over.turn ?? 'first',
  };
}

const Answer = z.strictObject({ a: z.string() });

export const validate: ReplyValidator = (text) => {
  const parsed = parseReply(text, Answer);
  return parsed.ok ? { ok: true } : parsed;
};

export const GOOD = '{"a":"x"}';
