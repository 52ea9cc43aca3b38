import { afterEach, describe, expect, it } from 'vitest';
import { GOOD, request, testClient, validate } from './bench.ts';
import { completion, scriptedServer } from './scripted-server.ts';
import type { Scripted, ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  const open = server;
  server = undefined;
  await open?.close();
});

const serve = async (script: (seen: number) => Scripted | undefined): Promise<ScriptedServer> =>
  (server = await scriptedServer(({ seen }) => script(seen)));

describe('nothing is paid twice', () => {
  it('returns a fresh reply once it is durable, and the same one from the ledger at no call', async () => {
    const at = await serve((seen) => (seen === 1 ? completion(GOOD) : undefined));
    const { client, ledger } = testClient(at);
    const fresh = await client.call(request('one'), validate);
    expect(fresh).toEqual({ kind: 'reply', text: GOOD, attempt: 1, served: 'fresh' });
    expect(ledger.all()[0]).toMatchObject({
      class: 'ok',
      attempt: 1,
      usage: { freshInput: 100, cachedInput: 0, output: 50 },
      costMicroUsd: 200,
      returnedModel: 'served-model',
      fingerprint: 'fp_1',
      finishReason: 'stop',
    });
    expect(await client.call(request('one'), validate)).toEqual({ ...fresh, served: 'ledger' });
    const rebuilt = testClient(at, { ledger });
    expect(await rebuilt.client.call(request('one'), validate)).toEqual({ ...fresh, served: 'ledger' });
    expect(at.requests).toHaveLength(1);
  });

  it('makes one call for two callers of the same key', async () => {
    const at = await serve((seen) => (seen === 1 ? { ...completion(GOOD), afterMs: 30 } : undefined));
    const { client, ledger } = testClient(at);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => client.call(request('same'), validate)));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(at.requests).toHaveLength(1);
    expect(ledger.all()).toHaveLength(1);
  });

  it('writes the intent before anything is sent', async () => {
    let known = -1;
    const at = await serve(() => {
      known = made.ledger.all().filter((attempt) => attempt.class === null).length;
      return completion(GOOD);
    });
    const made = testClient(at);
    await made.client.call(request('intent'), validate);
    expect(known).toBe(1);
  });

  it('serves prefetched keys without a further query', async () => {
    const at = await serve(() => completion(GOOD));
    const { client, ledger } = testClient(at);
    const wanted = Array.from({ length: 20 }, (_, index) => request(`row ${index}`));
    await Promise.all(wanted.map((each) => client.call(each, validate)));
    const before = ledger.queries;
    await client.prefetch(wanted.map(({ key }) => key));
    const again = await Promise.all(wanted.map((each) => client.call(each, validate)));
    expect(ledger.queries - before).toBe(1);
    expect(again.every((outcome) => outcome.kind === 'reply' && outcome.served === 'ledger')).toBe(true);
  });

  it('never serves a prefetched absence after the call was made meanwhile', async () => {
    const at = await serve((seen) => (seen === 1 ? completion(GOOD) : undefined));
    const { client } = testClient(at);
    const one = request('stale');
    await client.prefetch([one.key]);
    await client.call(one, validate);
    expect(await client.call(one, validate)).toMatchObject({ kind: 'reply', served: 'ledger' });
  });

  it('keeps the first success when a second completion comes late', async () => {
    const at = await serve(() => completion(GOOD));
    const { client, ledger } = testClient(at);
    const one = request('late');
    await client.call(one, validate);
    const row = ledger.rows.get(one.key)?.[0]?.completion;
    if (row == null) throw new Error('no completion');
    await ledger.writeCompletions([{ ...row, replyText: '{"a":"other"}' }]);
    expect(await client.call(one, validate)).toMatchObject({ text: GOOD, served: 'ledger' });
    expect(ledger.duplicates).toHaveLength(1);
  });
});

describe('invalid replies', () => {
  it.each([
    ['prose', 'Sure, here you go', 'not_json', 'prose_before_json'],
    ['a wrong field', '{"b":1}', 'schema_mismatch', 'expected_string'],
    ['a key twice', '{"a":"x","a":"y"}', 'not_json', 'duplicate_key'],
  ] as const)('stores %s under its class and offers it for repair, also after a restart', async (_, text, callClass, rule) => {
    const at = await serve((seen) => (seen === 1 ? completion(text) : undefined));
    const { client, ledger } = testClient(at);
    const fresh = await client.call(request('bad'), validate);
    expect(fresh).toMatchObject({ kind: 'invalid', class: callClass, text, rule, served: 'fresh' });
    expect(ledger.all()[0]?.class).toBe(callClass);
    expect(await testClient(at, { ledger }).client.call(request('bad'), validate)).toEqual({ ...fresh, served: 'ledger' });
  });

  it('offers a stored success for repair when the rules have become stricter, and serves an invalid one that now passes', async () => {
    const at = await serve((seen) => (seen <= 2 ? completion(seen === 1 ? GOOD : '{"b":1}') : undefined));
    const { client } = testClient(at);
    await client.call(request('ok'), validate);
    await client.call(request('not'), validate);
    const strict = await client.call(request('ok'), () => ({ ok: false, class: 'schema_mismatch', rule: 'new', path: 'a' }));
    expect(strict).toMatchObject({ kind: 'invalid', rule: 'new', served: 'ledger' });
    expect(await client.call(request('not'), () => ({ ok: true }))).toMatchObject({ kind: 'reply', text: '{"b":1}', served: 'ledger' });
  });
});
