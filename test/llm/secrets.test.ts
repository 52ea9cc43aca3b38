import { afterEach, describe, expect, it } from 'vitest';
import { checkEndpoint, isPrivateHost } from '../../llm/endpoint-rules.ts';
import { systemClock } from '../../llm/clock.ts';
import { createEndpoint } from '../../llm/openai-client.ts';
import { GOOD, request, testClient, validate } from './bench.ts';
import { FakeClock } from './fake-clock.ts';
import { completion, scriptedServer } from './scripted-server.ts';
import type { ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  const open = server;
  server = undefined;
  await open?.close();
});

const KEY = 'planted/key+42=secret';

describe('keys', () => {
  it('reach the endpoint and nothing else, also when a provider echoes them', async () => {
    const echoes = [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('base64'), `Bearer ${KEY}`];
    server = await scriptedServer(({ seen }) => {
      if (seen === 1) return { status: 500, body: { error: { message: `failed for ${echoes.join(' ')}` } } };
      if (seen === 2)
        return {
          status: 400,
          headers: { 'x-request-id': 'r1' },
          body: { error: { message: 'key sk-pro****abcd1234 and ' + KEY, code: KEY } },
        };
      if (seen === 3) return completion(`{"a":"${KEY}"}`);
      return { status: 401, body: { error: { message: `wrong key ${KEY}` } } };
    });
    const clock = new FakeClock();
    const { client, ledger, gate, events } = testClient(server, { clock, apiKey: KEY });
    const outcomes = [];
    for (const text of ['a', 'b', 'c']) outcomes.push(await clock.drive(client.call(request(text), validate)));
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
    const written = JSON.stringify([[...ledger.rows.values()], gate.closings, events, outcomes]);
    for (const form of [...echoes, 'sk-pro']) expect(written.includes(JSON.stringify(form).slice(1, -1))).toBe(form === 'sk-pro');
    expect(JSON.stringify([ledger.all(), outcomes])).not.toContain('sk-pro');
    expect(written).toContain('[key removed]');
    expect(gate.closings).toHaveLength(1);
    expect(process.title + process.argv.join(' ')).not.toContain(KEY);
  });

  it('are not shown by printing an endpoint', () => {
    const endpoint = createEndpoint({ name: 'p', baseUrl: 'https://api.example/v1', apiKey: KEY, timeoutMs: 1000, clock: systemClock });
    expect(JSON.stringify(endpoint)).not.toContain(KEY);
    endpoint.close();
  });

  it('are not needed at a local endpoint, which says so', async () => {
    server = await scriptedServer(() => completion(GOOD));
    const { client } = testClient(server);
    await client.call(request('a'), validate);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(checkEndpoint('p', server.baseUrl, false).notice).toMatch(
      /^Provider p is the local endpoint 127\.0\.0\.1:\d+, unencrypted, used without a key\.$/,
    );
  });
});

describe('base URLs', () => {
  it.each([
    ['https://user:pw@api.example/v1', 'credentials_in_url'],
    ['https://api.example/v1?api_key=x', 'credentials_in_url'],
    ['http://api.example/v1', 'plain_http'],
    ['http://8.8.8.8/v1', 'plain_http'],
    ['http://[2001:db8::1]/v1', 'plain_http'],
    ['http://127.0.0.1.evil.example/v1', 'plain_http'],
    ['ftp://127.0.0.1/v1', 'bad_url'],
    ['nonsense', 'bad_url'],
  ])('%s is refused as %s, without repeating what may be secret', (baseUrl, code) => {
    const open = (): unknown => checkEndpoint('p', baseUrl, true);
    expect(open).toThrowError(expect.objectContaining({ name: 'EndpointError', code }));
    expect(open).not.toThrowError(/user:pw|api_key=x/);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.1.1',
    '[::1]',
    '[fd00::1]',
    '[fe80::1]',
    '[::ffff:7f00:1]',
    'localhost',
    'vllm',
    'gpu.local',
    'x.internal',
  ])('%s is private', (host) => expect(isPrivateHost(host)).toBe(true));
  it.each(['172.32.0.1', '11.0.0.1', '1.1.1.1', '[2606::1]', '[::ffff:808:808]', 'example.com', 'local.example'])('%s is public', (host) =>
    expect(isPrivateHost(host)).toBe(false),
  );

  it.each(['', '/', '/v1', '/v1/', '/compatible-mode/v1'])('keeps the path %s', async (path) => {
    server = await scriptedServer(() => completion(GOOD));
    const endpoint = createEndpoint({ name: 'p', baseUrl: server.baseUrl.replace('/v1', path), timeoutMs: 5000, clock: systemClock });
    await endpoint.complete(request('a'), 10);
    expect(server.requests[0]?.path).toBe(`${path.replace(/\/$/, '')}/chat/completions`);
    endpoint.close();
  });
});

describe('the body', () => {
  it('has vendor fields at its top level, which cannot displace ours', async () => {
    server = await scriptedServer(() => completion(GOOD));
    const endpoint = createEndpoint({ name: 'p', baseUrl: server.baseUrl, timeoutMs: 5000, clock: systemClock });
    const extra = { enable_thinking: false, model: 'other', stream: true, messages: [], response_format: 'x' };
    const sampling = { temperature: 0.3, topP: 0.9, seed: 7, extra };
    const responseFormat = { type: 'json_schema', name: 'x', schema: { type: 'object' } } as const;
    await endpoint.complete(request('a', { sampling, responseFormat }), 123);
    expect(server.requests[0]?.body).toEqual({
      enable_thinking: false,
      model: 'm',
      messages: [{ role: 'user', content: 'a' }],
      temperature: 0.3,
      top_p: 0.9,
      seed: 7,
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: { type: 'object' } } },
      max_tokens: 123,
      stream: false,
    });
    endpoint.close();
  });
});
