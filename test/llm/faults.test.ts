import { afterEach, describe, expect, it } from 'vitest';
import type { LedgerModelClient } from '../../llm/ledger-client.ts';
import type { CallOutcome } from '../../schemas/ledger.ts';
import { GOOD, request, testClient, validate } from './bench.ts';
import type { TestClient } from './bench.ts';
import { FakeClock, realSleep } from './fake-clock.ts';
import { completion, scriptedServer } from './scripted-server.ts';
import type { Scripted, ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  const open = server;
  server = undefined;
  await open?.close();
});

async function made(
  script: readonly Scripted[],
  over: Parameters<typeof testClient>[1] = {},
): Promise<TestClient & { readonly clock: FakeClock }> {
  server = await scriptedServer(({ seen }) => script[seen - 1]);
  const clock = new FakeClock();
  return { ...testClient(server, { clock, ...over }), clock };
}

const outcomeOf = (client: LedgerModelClient, clock: FakeClock): Promise<CallOutcome> => clock.drive(client.call(request('one'), validate));
const error = (status: number, message: string, headers: Record<string, string> = {}): Scripted => ({
  status,
  headers,
  body: { error: { message } },
});
const replied = { kind: 'reply', text: GOOD, served: 'fresh' };

describe('faults that a call survives', () => {
  it.each<[string, readonly Scripted[], readonly string[]]>([
    ['a reset connection', [{ fault: 'reset' }, completion(GOOD)], ['network', 'ok']],
    ['a reset in mid-body', [{ fault: 'reset_mid_body' }, completion(GOOD)], ['network', 'ok']],
    ['server errors', [error(500, 'x'), error(503, 'x', { 'retry-after': '2' }), completion(GOOD)], ['server_error', 'server_error', 'ok']],
    ['blank content', [completion('  '), completion(null), completion(GOOD)], ['empty', 'empty', 'ok']],
    ['halves of characters', [completion('{"a":"\ud83d"}'), completion(GOOD)], ['garbled', 'ok']],
    ['an HTML page', [{ body: '<html></html>' }, completion(GOOD)], ['not_a_completion', 'ok']],
    ['an error in a 200', [{ body: { error: { code: 502, message: 'x' } } }, completion(GOOD)], ['server_error', 'ok']],
    ['a cut reply', [completion('{"a":"x', { finish: 'length' }), completion(GOOD)], ['truncated', 'ok']],
    ['429 with Retry-After', [error(429, 'slow', { 'retry-after': '75' }), completion(GOOD)], ['rate_limited', 'ok']],
    [
      'many 429s without Retry-After',
      [...Array.from({ length: 12 }, () => error(429, 'slow')), completion(GOOD)],
      [...Array.from({ length: 12 }, () => 'rate_limited'), 'ok'],
    ],
  ])('%s', async (_, script, classes) => {
    const { client, ledger, clock } = await made(script);
    expect(await outcomeOf(client, clock)).toMatchObject(replied);
    expect(ledger.all().map((attempt) => attempt.class)).toEqual(classes);
  });

  it('doubles the cap after a cut reply and asks at most twice', async () => {
    const cut = completion('{"a":"x', { finish: 'length' });
    const { client, ledger, clock } = await made([cut, cut]);
    expect(await outcomeOf(client, clock)).toMatchObject({ kind: 'failed', class: 'truncated' });
    expect(server?.requests.map(({ body }) => body['max_tokens'])).toEqual([400, 800]);
    expect(ledger.all().map(({ maxTokens }) => maxTokens)).toEqual([400, 800]);
  });

  it('waits all of a Retry-After of 75 s, and counts it neither as attempt nor as timeout', async () => {
    const { client, ledger, clock } = await made([error(429, 'slow', { 'retry-after': '75' }), completion(GOOD)], { timeoutMs: 30_000 });
    const began = clock.now();
    expect(await outcomeOf(client, clock)).toMatchObject(replied);
    expect(clock.now() - began).toBeGreaterThanOrEqual(75_000);
    expect(ledger.all().every(({ class: callClass }) => callClass !== 'timeout')).toBe(true);
  });

  it.each<[string, Scripted]>([
    ['a hang', { fault: 'hang' }],
    ['a slow drip', { fault: 'drip', body: completion(GOOD).body, everyMs: 40 }],
  ])('%s ends at the time limit on the wire', async (_, fault) => {
    server = await scriptedServer(({ seen }) => (seen === 1 ? fault : completion(GOOD)));
    const { client, ledger } = testClient(server, { timeoutMs: 150 });
    expect(await client.call(request('one'), validate)).toMatchObject(replied);
    expect(ledger.all().map((attempt) => attempt.class)).toEqual(['timeout', 'ok']);
    expect(ledger.all()[0]?.costMicroUsd).toBeNull();
  });

  it('takes a reply of 2 MB as too long without choking, and cuts what it keeps of the body', async () => {
    const { client, ledger, clock } = await made([completion(`{"a":"${'x'.repeat(2_000_000)}"}`)]);
    expect(await outcomeOf(client, clock)).toMatchObject({ kind: 'invalid', class: 'not_json', rule: 'too_long' });
    const stored = [...ledger.rows.values()][0]?.[0]?.completion;
    expect(stored?.rawBody?.length).toBeLessThan(300_000);
  });
});

describe('faults that end a call', () => {
  it.each<[string, Scripted, number, string]>([
    ['a refusal', completion(null, { message: { refusal: 'no' } }), 1, 'refused'],
    ['a content filter', completion('', { finish: 'content_filter' }), 1, 'content_filtered'],
    ['a request that is wrong', error(400, 'context too long'), 1, 'config_error'],
    ['server errors without end', error(500, 'x'), 6, 'server_error'],
    ['blank content without end', completion(''), 3, 'empty'],
  ])('%s', async (_, fault, calls, callClass) => {
    const { client, ledger, clock, gate } = await made(Array.from({ length: calls }, () => fault));
    const failed = await outcomeOf(client, clock);
    expect(failed).toMatchObject({ kind: 'failed', class: callClass });
    expect(server?.requests).toHaveLength(calls);
    if (server === undefined) return;
    const restarted = testClient(server, { clock, ledger });
    expect(await restarted.client.call(request('one'), validate)).toEqual(failed);
    expect(server.requests).toHaveLength(calls);
    expect(gate.closings).toEqual([]);
    await ledger.openSeries([request('one').key]);
    server.script = () => completion(GOOD);
    expect(await restarted.client.call(request('one'), validate)).toMatchObject(replied);
  });
});

describe('a crash between intent and completion', () => {
  it('goes on at the next attempt number and keeps the first one as possibly paid', async () => {
    const { client, ledger, clock } = await made([completion(GOOD)]);
    const lost = request('one');
    await ledger.writeIntents([{ request: lost, attempt: 1, series: 0, maxTokens: 400, intendedAt: clock.now() }]);
    expect(await clock.drive(client.call(lost, validate))).toMatchObject({ kind: 'reply', attempt: 2 });
    expect(ledger.all().map((attempt) => attempt.class)).toEqual([null, 'ok']);
  });
});

describe('draining', () => {
  it('ends what waits for an endpoint that is down, sends nothing more, and lets what is on the wire land', async () => {
    server = await scriptedServer(({ body }) =>
      JSON.stringify(body).includes('landing') ? { ...completion(GOOD), afterMs: 150 } : { fault: 'reset' },
    );
    const { client, ledger } = testClient(server, { limits: { concurrency: 4, startConcurrency: 4 } });
    const lands = client.call(request('landing'), validate);
    const waits = Promise.allSettled(['b', 'c', 'd', 'e', 'f'].map((text) => client.call(request(text), validate)));
    while (server.requests.length < 3) await realSleep(5);
    client.drain();
    expect((await waits).map((each) => each.status === 'rejected' && (each.reason as { code: string }).code)).toEqual(
      Array.from({ length: 5 }, () => 'cancelled'),
    );
    expect(await lands).toMatchObject(replied);
    const sent = server.requests.length;
    await realSleep(1500);
    expect(server.requests).toHaveLength(sent);
    await client.close();
    expect(ledger.all().filter((attempt) => attempt.class === 'ok')).toHaveLength(1);
    await expect(client.call(request('later'), validate)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('cancelling', () => {
  it('rejects the caller at once, sends nothing that waited, and still writes what was on the wire', async () => {
    server = await scriptedServer(() => ({ ...completion(GOOD), afterMs: 80 }));
    const { client, ledger } = testClient(server, { limits: { concurrency: 1, startConcurrency: 1 } });
    const stop = new AbortController();
    const view = client.withSignal(stop.signal);
    const calls = ['a', 'b', 'c', 'd'].map((text) => view.call(request(text), validate));
    const ended = Promise.allSettled(calls);
    await realSleep(30);
    stop.abort();
    expect((await ended).every((each) => each.status === 'rejected' && (each.reason as { code: string }).code === 'cancelled')).toBe(true);
    await client.close();
    expect(server.requests).toHaveLength(1);
    expect(ledger.all().filter((attempt) => attempt.class === 'ok')).toHaveLength(1);
    expect(ledger.all().every((attempt) => attempt.class === 'ok' || (attempt.message ?? '').startsWith('Never sent'))).toBe(true);
  });

  it('goes on for the caller that stays when another one gives up', async () => {
    server = await scriptedServer(({ seen }) => (seen === 1 ? { ...completion(GOOD), afterMs: 40 } : undefined));
    const { client } = testClient(server);
    const stop = new AbortController();
    const gone = client.call(request('a'), validate, stop.signal).catch((reason: unknown) => reason);
    const stays = client.call(request('a'), validate);
    stop.abort();
    expect(await gone).toMatchObject({ code: 'cancelled' });
    expect(await stays).toMatchObject(replied);
  });
});
