import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../llm/clock.ts';
import { callKey } from '../../llm/key.ts';
import { createModelClient } from '../../llm/ledger-client.ts';
import type { LedgerModelClient } from '../../llm/ledger-client.ts';
import { createLimiter } from '../../llm/limiter.ts';
import { createEndpoint } from '../../llm/openai-client.ts';
import { parseReply } from '../../llm/reply-parser.ts';
import { responseFormatFor } from '../../llm/structured-output.ts';
import type { CallRequest, ReplyValidator } from '../../schemas/ledger.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/port.ts';
import { MemoryGate } from '../llm/bench.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { TARGETS } from './targets.ts';
import type { OpenTarget, Target } from './targets.ts';

const folder = tempFolders();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const Answer = z.strictObject({ a: z.enum(['x']) });
const validate: ReplyValidator = (text) => {
  const parsed = parseReply(text, Answer);
  return parsed.ok ? { ok: true } : parsed;
};

interface Bench {
  readonly client: LedgerModelClient;
  readonly store: Store;
}

/** A client over a real store; opened again on the same folder it is a process of its own. */
async function bench(target: Target, open: OpenTarget, at: string): Promise<Bench> {
  const store = await openStore(join(at, 'memcalib.duckdb'));
  const endpoint = createEndpoint({ name: 'p', baseUrl: open.baseUrl, timeoutMs: target.callTimeoutMs, clock: systemClock });
  const client = createModelClient({
    ledger: store.ledger,
    providers: new Map([['p', { endpoint, limits: { concurrency: 2, startConcurrency: 2 } }]]),
    limiter: createLimiter(),
    priceOf: () => ({ inputPerMillionUsd: 1, outputPerMillionUsd: 2 }),
    caps: () => ({}),
    gate: new MemoryGate(),
    clock: systemClock,
  });
  return { client, store };
}

async function end({ client, store }: Bench): Promise<void> {
  await client.close();
  await store.close();
}

function requestOf({ model }: OpenTarget, over: { readonly sampleIndex?: number; readonly maxTokens?: number } = {}): CallRequest {
  const content = {
    provider: 'p',
    model,
    messages: [{ role: 'user' as const, content: 'Reply with the JSON object {"a":"x"} and nothing else.' }],
    sampling: { temperature: 0, seed: 1 },
    responseFormat: responseFormatFor('json_schema', 'answer', Answer, 'keep').responseFormat,
    sampleIndex: over.sampleIndex ?? 0,
  };
  return {
    ...content,
    key: callKey(content),
    maxTokens: over.maxTokens ?? 64,
    runId: 'run-1',
    step: 'screen',
    partId: 'main',
    candidateId: 'c-1',
    role: 'builder',
    turn: 'first',
  };
}

const why = ({ skipped }: Target): string => (skipped === null ? '' : ` (skipped: ${skipped})`);

for (const target of TARGETS)
  describe.skipIf(target.skipped !== null)(`the model client on ${target.name}${why(target)}`, () => {
    const opened = async (): Promise<OpenTarget> => {
      const open = await target.open();
      closers.push(() => open.close());
      return open;
    };
    const limit = target.callTimeoutMs * 2;

    it(
      'returns a whole reply once it is durable, and serves it from then on, also to another process',
      async () => {
        const open = await opened();
        const at = folder();
        const first = await bench(target, open, at);
        const request = requestOf(open);
        const fresh = await first.client.call(request, validate);
        expect(fresh).toMatchObject({ kind: 'reply', served: 'fresh', attempt: 1 });
        const [row] = (await first.store.ledger.attempts([request.key])).get(request.key) ?? [];
        expect(row).toMatchObject({ class: 'ok', finishReason: 'stop', role: 'builder', step: 'screen' });
        expect(row?.latencyMs).toBeGreaterThanOrEqual(0);
        if (row?.usage != null) {
          const { freshInput, cachedInput, output } = row.usage;
          expect(row.costMicroUsd).toBe(freshInput + cachedInput + 2 * output);
        } else expect(row?.costMicroUsd).toBeNull();
        await end(first);
        const second = await bench(target, open, at);
        expect(await second.client.call(request, validate)).toEqual({ ...fresh, served: 'ledger' });
        expect(open.sent() ?? 1).toBe(1);
        await end(second);
      },
      limit,
    );

    it(
      'makes one call for equal requests at once, and another for another sample',
      async () => {
        const open = await opened();
        const made = await bench(target, open, folder());
        const request = requestOf(open);
        const outcomes = await Promise.all([1, 2, 3].map(() => made.client.call(request, validate)));
        expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
        const other = await made.client.call(requestOf(open, { sampleIndex: 1 }), validate);
        expect(other).toMatchObject({ kind: 'reply', served: 'fresh' });
        expect((await made.store.ledger.spent({})).calls).toBe(2);
        expect(open.sent() ?? 2).toBe(2);
        await end(made);
      },
      limit,
    );

    it(
      'keeps a whole reply that breaks a rule under its class, and offers it for repair at no call',
      async () => {
        const open = await opened();
        const made = await bench(target, open, folder());
        const request = requestOf(open);
        const strict: ReplyValidator = () => ({ ok: false, class: 'schema_mismatch', rule: 'made_up', path: 'a' });
        const fresh = await made.client.call(request, strict);
        expect(fresh).toMatchObject({ kind: 'invalid', class: 'schema_mismatch', rule: 'made_up', served: 'fresh' });
        expect(await made.client.call(request, strict)).toEqual({ ...fresh, served: 'ledger' });
        expect(open.sent() ?? 1).toBe(1);
        await end(made);
      },
      limit,
    );

    it(
      'asks a cut reply once more under a higher cap, never under the same, and then lets it fail',
      async () => {
        const open = await opened();
        const made = await bench(target, open, folder());
        const request = requestOf(open, { maxTokens: 1 });
        expect(await made.client.call(request, validate)).toMatchObject({ kind: 'failed', class: 'truncated' });
        const rows = (await made.store.ledger.attempts([request.key])).get(request.key) ?? [];
        expect(rows.map((row) => [row.class, row.maxTokens])).toEqual([
          ['truncated', 1],
          ['truncated', 2],
        ]);
        expect(await made.client.call(request, validate)).toMatchObject({ kind: 'failed', class: 'truncated' });
        expect(open.sent() ?? 2).toBe(2);
        await end(made);
      },
      limit,
    );
  });
