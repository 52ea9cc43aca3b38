import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../llm/clock.ts';
import { createEndpoint } from '../../llm/openai-client.ts';
import { probeEndpoint } from '../../llm/probe.ts';
import type { EndpointFacts } from '../../llm/probe.ts';
import { testClient } from './bench.ts';
import { completion, scriptedServer } from './scripted-server.ts';
import type { Scripted, ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  const open = server;
  server = undefined;
  await open?.close();
});

const FORMATS = ['json_schema', 'json_object', 'none'] as const;
type ByFormat = Partial<Record<(typeof FORMATS)[number], Scripted>>;

async function probe(models: Scripted, replies: ByFormat): Promise<EndpointFacts> {
  server = await scriptedServer(({ path, body }) => {
    if (path.endsWith('/models')) return models;
    return replies[((body['response_format'] as { type?: 'json_schema' } | undefined)?.type ?? 'none') as (typeof FORMATS)[number]];
  });
  const { client, ledger } = testClient(server);
  const endpoint = createEndpoint({ name: 'p', baseUrl: server.baseUrl, timeoutMs: 5000, clock: systemClock });
  const facts = await probeEndpoint({
    endpoint,
    client,
    ledger,
    clock: systemClock,
    provider: 'p',
    model: 'm',
    role: 'builder',
    sampling: { temperature: 0 },
    runId: 'doctor',
  });
  endpoint.close();
  return facts;
}

const list = (over: object = {}): Scripted => ({ body: { object: 'list', data: [{ id: 'm', ...over }] } });
const short = { usage: { prompt_tokens: 9, completion_tokens: 9 } };
const obeyed = completion('{"weather_code":"kestrel"}', short);
const unsupported: Scripted = { status: 400, body: { error: { message: 'response_format is not supported' } } };

describe('the structured output ladder', () => {
  it.each<[string, ByFormat, Partial<EndpointFacts>]>([
    ['schemas that are enforced', { json_schema: obeyed }, { structuredOutput: 'json_schema', downgrade: null, thinkingOff: true }],
    [
      'schemas that are refused',
      { json_schema: unsupported, json_object: completion('{"sum":42}', short) },
      { structuredOutput: 'json_object' },
    ],
    [
      'schemas that are ignored',
      { json_schema: completion('Sunny!', short), json_object: completion('{"sum":42}', short) },
      { structuredOutput: 'json_object' },
    ],
    [
      'JSON mode that is refused too',
      { json_schema: unsupported, json_object: unsupported, none: completion('42', short) },
      { structuredOutput: 'text' },
    ],
    [
      'JSON mode that writes prose',
      { json_schema: unsupported, json_object: completion('42 it is', short), none: completion('42', short) },
      { structuredOutput: 'text' },
    ],
    [
      'thinking that is left on',
      { json_schema: completion('<think>x</think>{"weather_code":"kestrel"}', short) },
      { structuredOutput: 'json_schema', thinkingOff: false },
    ],
    [
      'thinking that is hidden',
      { json_schema: completion('{"weather_code":"kestrel"}', { usage: { prompt_tokens: 9, completion_tokens: 700 } }) },
      { thinkingOff: false },
    ],
  ])('%s', async (_, replies, wanted) => {
    const facts = await probe(list({ max_model_len: 8192 }), replies);
    expect(facts).toMatchObject({
      reachable: true,
      keyAccepted: true,
      contextLength: 8192,
      returnedModel: 'served-model',
      problem: null,
      ...wanted,
    });
    expect(facts.downgrade === null).toBe(facts.structuredOutput === 'json_schema');
    expect(facts.latencyMs).toBeGreaterThanOrEqual(0);
  });

  it.each<[string, object, number | null]>([
    ['vLLM', { max_model_len: 4096 }, 4096],
    ['OpenRouter', { context_length: 131_072 }, 131_072],
    ['llama.cpp', { meta: { n_ctx_train: 32_768 } }, 32_768],
    ['llama.cpp that serves less', { meta: { n_ctx: 8192, n_ctx_train: 32_768 } }, 8192],
    ['one that does not tell', {}, null],
  ])('reads the context length of %s', async (_, over, contextLength) => {
    expect(await probe(list(over), { json_schema: obeyed })).toMatchObject({ contextLength });
  });
});

describe('endpoints that cannot be used', () => {
  it('tells a refused key', async () => {
    const refused: Scripted = { status: 401, body: { error: { message: 'no' } } };
    const facts = await probe(refused, { json_schema: refused });
    expect(facts).toMatchObject({ reachable: true, keyAccepted: false, structuredOutput: null });
    expect(facts.problem).not.toBeNull();
  });

  it('tells a server that is not there, without a call', async () => {
    server = await scriptedServer(() => undefined);
    const { client, ledger } = testClient(server);
    const endpoint = createEndpoint({ name: 'p', baseUrl: 'http://127.0.0.1:9/v1', timeoutMs: 5000, clock: systemClock });
    const facts = await probeEndpoint({
      endpoint,
      client,
      ledger,
      clock: systemClock,
      provider: 'p',
      model: 'm',
      role: 'builder',
      sampling: { temperature: 0 },
      runId: 'doctor',
    });
    expect(facts).toMatchObject({ reachable: false, structuredOutput: null, keyAccepted: null });
    expect(facts.problem).toContain('127.0.0.1:9');
    expect(ledger.all()).toEqual([]);
  });
});
