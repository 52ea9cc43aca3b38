import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { describe, expect, it } from 'vitest';
import { FAULTS, FaultDice } from '../../../llm/rehearsal/faults.ts';
import type { FaultName, FaultPlan, FaultRule } from '../../../llm/rehearsal/faults.ts';
import { startRehearsalServer } from '../../../llm/rehearsal/server.ts';
import type { RehearsalServer } from '../../../llm/rehearsal/server.ts';
import { PAYLOADS, bodyFor } from './payloads.ts';

type Body = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;

interface Seen {
  readonly status: number | null;
  readonly error: unknown;
  readonly headers: Headers | null;
  readonly completion: OpenAI.Chat.ChatCompletion | null;
  readonly content: string;
  readonly finish: string | null;
  readonly tookMs: number;
}

/** One call with the ordinary client, its retries off, as our own client has them. */
async function call(server: RehearsalServer, body: unknown, timeout = 4000): Promise<Seen> {
  const client = new OpenAI({ baseURL: server.url, apiKey: 'none', maxRetries: 0, timeout });
  const from = Date.now();
  try {
    const { data, response } = await client.chat.completions.create(body as Body).withResponse();
    const choice = data.choices?.[0];
    const content = choice?.message.content ?? '';
    return {
      status: response.status,
      error: null,
      headers: response.headers,
      completion: data,
      content,
      finish: choice?.finish_reason ?? null,
      tookMs: Date.now() - from,
    };
  } catch (error) {
    const status = error instanceof APIError && typeof error.status === 'number' ? error.status : null;
    const headers = error instanceof APIError && error.headers instanceof Headers ? error.headers : null;
    return { status, error, headers, completion: null, content: '', finish: null, tookMs: Date.now() - from };
  }
}

async function withServer<Result>(faults: FaultPlan | undefined, use: (server: RehearsalServer) => Promise<Result>): Promise<Result> {
  const server = await startRehearsalServer(faults === undefined ? {} : { faults });
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

function messageOf(seen: Seen): string {
  return seen.error instanceof Error ? seen.error.message : '';
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const BODY = bodyFor(PAYLOADS.rubrics);
const clean = await withServer(undefined, async (server) => {
  await call(server, BODY);
  return call(server, BODY);
});

/** What a client sees of each fault. */
const OBSERVED: Readonly<Record<FaultName, (seen: Seen) => boolean>> = {
  rate_limited: (seen) => seen.status === 429 && seen.headers?.has('retry-after') !== true,
  rate_limited_retry_after: (seen) => seen.status === 429 && seen.headers?.get('retry-after') === '1',
  daily_quota: (seen) => seen.status === 429 && messageOf(seen).includes('per day') && seen.headers?.get('retry-after') === '3600',
  no_credit: (seen) =>
    seen.status === 429 && messageOf(seen).includes('quota') && seen.error instanceof APIError && seen.error.code === 'insufficient_quota',
  server_error: (seen) => seen.status === 500,
  hang: (seen) => seen.error instanceof APIConnectionError && seen.tookMs >= 300,
  reset: (seen) => seen.error !== null && !(seen.error instanceof APIUserAbortError) && seen.status === null,
  truncation: (seen) => seen.finish === 'length' && clean.content.startsWith(seen.content) && !parses(seen.content),
  fences: (seen) => seen.content === `\`\`\`json\n${clean.content}\n\`\`\``,
  think_tags: (seen) => seen.content.startsWith('<think>') && seen.content.endsWith(clean.content),
  reasoning_content: (seen) => seen.content === '' && JSON.stringify(seen.completion?.choices[0]?.message).includes('"reasoning_content"'),
  blank: (seen) => seen.content !== '' && seen.content.trim() === '' && seen.finish === 'stop',
  prose: (seen) => !parses(seen.content) && seen.finish === 'stop',
  wrong_ids: (seen) => seen.content.includes('"z99"') && !seen.content.includes('"atom":"s1"'),
  missing_atoms: (seen) => !seen.content.includes('"atom":"s1"') && parses(seen.content),
  invented_atoms: (seen) => seen.content.includes('"z99"') && seen.content.includes('"atom":"s1"'),
  duplicate_keys: (seen) => seen.content.split('"used_atoms":').length === 3 && parses(seen.content),
  refusal: (seen) => seen.completion?.choices[0]?.message.content === null && (seen.completion.choices[0].message.refusal ?? '') !== '',
  content_filter: (seen) => seen.finish === 'content_filter',
  error_in_200: (seen) => seen.status === 200 && seen.completion?.choices === undefined,
  html: (seen) => seen.status === 200 && String(seen.headers?.get('content-type')).includes('html'),
  lone_surrogate: (seen) => /[\ud800-\udbff](?![\udc00-\udfff])/.test(seen.content) && parses(seen.content),
  huge: (seen) => seen.content.length > 2_000_000,
  ignored_schema: (seen) => parses(seen.content) && !seen.content.includes('used_atoms'),
  renamed_model: (seen) => seen.completion?.model === 'rehearsal-2' && seen.content === clean.content,
  clock_skew: (seen) => Date.parse(seen.headers?.get('date') ?? '') - Date.now() > 80_000_000 && seen.content === clean.content,
  slow_drip: (seen) => seen.tookMs >= 300 && seen.content === clean.content,
};

describe('faults on demand', () => {
  it.each(FAULTS)('shows %s on the wire once and then recovers', async (fault) => {
    await withServer({ rules: [{ fault, durationMs: 400 }] }, async (server) => {
      const seen = await call(server, BODY, fault === 'hang' ? 400 : 4000);
      expect({ isObserved: OBSERVED[fault](seen), seen }).toMatchObject({ isObserved: true });
      expect(OBSERVED[fault](clean)).toBe(false);
      const again = await call(server, BODY);
      expect(again.content).toBe(clean.content);
      expect(server.stats().faults).toEqual({ [fault]: 1 });
    });
  });

  it.each<readonly [string, Partial<FaultRule>, readonly number[]]>([
    ['once', {}, [500, 200, 200, 200]],
    ['twice', { times: 2 }, [500, 500, 200, 200]],
    ['for ever when sticky', { sticky: true }, [500, 500, 500, 500]],
    ['by call number', { calls: [2, 3] }, [200, 500, 500, 200]],
    ['not another step', { tasks: ['derive'] }, [200, 200, 200, 200]],
    ['not another model', { models: ['rehearsal-b'] }, [200, 200, 200, 200]],
    ['never at rate 0', { rate: 0 }, [200, 200, 200, 200]],
  ])('strikes one request %s', async (_name, rule, statuses) => {
    await withServer({ rules: [{ fault: 'server_error', ...rule }] }, async (server) => {
      const seen: (number | null)[] = [];
      for (const _ of statuses) seen.push((await call(server, BODY)).status);
      expect(seen).toEqual(statuses);
    });
  });

  it('lays rates end to end, the same way for equal seeds', () => {
    const rules: readonly FaultRule[] = [
      { fault: 'fences', rate: 0.2 },
      { fault: 'prose', rate: 0.1 },
    ];
    const draw = (seed: string): readonly (string | null)[] => {
      const dice = new FaultDice({ seed, rules });
      return Array.from({ length: 2000 }, (_, at) => dice.strike({ task: 'derive', model: 'm', identity: String(at) })?.fault ?? null);
    };
    const hits = draw('one');
    expect(hits.filter((fault) => fault === 'fences').length / 2000).toBeCloseTo(0.2, 1);
    expect(hits.filter((fault) => fault === 'prose').length / 2000).toBeCloseTo(0.1, 1);
    expect(draw('one')).toEqual(hits);
    expect(draw('two')).not.toEqual(hits);
  });

  it('strikes a question once, repair turn and raised cap included', async () => {
    await withServer({ rules: [{ fault: 'prose' }] }, async (server) => {
      const first = await call(server, BODY);
      const messages = [
        ...(BODY['messages'] as readonly unknown[]),
        { role: 'assistant', content: first.content },
        { role: 'user', content: '{"problems":[]}' },
      ];
      expect(first.content).not.toBe(clean.content);
      expect((await call(server, { ...BODY, messages, max_tokens: 8000 })).content).toBe(clean.content);
      expect(server.stats()).toMatchObject({ calls: 2, replies: 1, repairs: 1, faults: { prose: 1 } });
    });
  });
});
