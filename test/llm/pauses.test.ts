import { afterEach, describe, expect, it } from 'vitest';
import { GOOD, MemoryGate, request, testClient, validate } from './bench.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { completion, scriptedServer } from './scripted-server.ts';
import type { Scripted, ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  const open = server;
  server = undefined;
  await open?.close();
});

const faulty = (): never => {
  throw new Error('a bug of ours');
};
const error = (status: number, body: object, headers: Record<string, string> = {}): Scripted => ({
  status,
  headers,
  body: { error: body },
});
const rows = (count: number, prefix = 'row') => Array.from({ length: count }, (_, index) => request(`${prefix} ${index}`));

describe('what ends money or quota pauses the run, and a resume goes on', () => {
  it.each<[string, Scripted, string, number | null]>([
    [
      'a daily quota',
      error(429, { message: 'requests per day (RPD): Limit 200' }, { 'retry-after': '7200' }),
      'quota',
      Date.UTC(2026, 0, 15, 14),
    ],
    ['a daily quota that names no time', error(429, { message: 'daily limit reached' }), 'quota', Date.UTC(2026, 0, 16)],
    ['an empty account', error(402, { message: 'Insufficient Balance' }), 'no_credit', null],
    ['a refused key', error(401, { message: 'Invalid API key' }), 'config_error', null],
    ['an unknown model', error(404, { message: 'no such model' }), 'config_error', null],
    ['a redirect', { status: 308, headers: { location: 'https://other.example/v1' }, body: '' }, 'config_error', null],
  ])('%s', async (_, fault, reason, until) => {
    server = await scriptedServer(({ seen }) => (seen === 1 ? fault : completion(GOOD)));
    const clock = new FakeClock();
    const { client, gate, ledger, limiter } = testClient(server, { clock, limits: { concurrency: 1, startConcurrency: 1 } });
    const outcomes = await clock.drive(Promise.all(rows(10).map((each) => client.call(each, validate))));
    expect(outcomes.every((outcome) => outcome.kind === 'paused' && outcome.reason === reason && outcome.until === until)).toBe(true);
    expect(gate.closings).toHaveLength(1);
    expect(gate.closings[0]).toMatchObject({ reason, until });
    expect(gate.closings[0]?.detail).toMatch(/^[A-Z].*\.?/);
    expect(server.requests).toHaveLength(1);
    gate.open();
    limiter.unblock();
    const again = await clock.drive(Promise.all(rows(10).map((each) => client.call(each, validate))));
    expect(again.every((outcome) => outcome.kind === 'reply')).toBe(true);
    expect(server.requests).toHaveLength(11);
    expect(ledger.all().filter((attempt) => attempt.class === 'ok')).toHaveLength(10);
  });

  it('a call whose intent is being written when the quota ends pauses at once too, instead of waiting out the quota', async () => {
    const quota = error(429, { message: 'requests per day (RPD): Limit 200' }, { 'retry-after': '7200' });
    const ledger = new MemoryLedger();
    const write = ledger.writeIntents.bind(ledger);
    let written = (): void => undefined;
    ledger.writeIntents = async (intents) => {
      if (ledger.all().length > 0) await new Promise<void>((resolve) => (written = resolve));
      return write(intents);
    };
    server = await scriptedServer(() => ({ ...quota, afterMs: 20 }));
    const { client, gate } = testClient(server, { ledger, limits: { concurrency: 1, startConcurrency: 1 } });
    const first = client.call(request('first'), validate);
    while (server.requests.length < 1) await settle();
    const second = client.call(request('second'), validate);
    expect(await first).toMatchObject({ kind: 'paused', reason: 'quota' });
    expect(gate.closings).toHaveLength(1);
    written();
    expect(await second).toMatchObject({ kind: 'paused', reason: 'quota' });
    expect(server.requests).toHaveLength(1);
    expect(
      ledger
        .all()
        .map((attempt) => [attempt.class, attempt.costMicroUsd])
        .at(-1),
    ).toEqual(['network', 0]);
  });

  it('opens by itself when the stated time has come', async () => {
    server = await scriptedServer(() => completion(GOOD));
    const clock = new FakeClock();
    const gate = new MemoryGate();
    await gate.close('quota', 'x', clock.now() + 1000);
    const { client } = testClient(server, { clock, gate });
    expect(await client.call(request('a'), validate)).toMatchObject({ kind: 'paused', reason: 'quota' });
    await clock.advance(1000);
    expect(await clock.drive(client.call(request('a'), validate))).toMatchObject({ kind: 'reply' });
  });

  it('still serves what is stored while the gate is closed', async () => {
    server = await scriptedServer(() => completion(GOOD));
    const { client, gate, ledger } = testClient(server);
    await client.call(request('a'), validate);
    await gate.close('person', 'paused', null);
    expect(await client.call(request('a'), validate)).toMatchObject({ kind: 'reply', served: 'ledger' });
    expect(await client.call(request('b'), validate)).toEqual({ kind: 'paused', reason: 'person', until: null });
    expect(ledger.all()).toHaveLength(1);
  });

  it('lets what is on the wire end and be kept when a person pauses', async () => {
    server = await scriptedServer(() => ({ ...completion(GOOD), afterMs: 60 }));
    const { client, gate, ledger } = testClient(server, { limits: { concurrency: 2, startConcurrency: 2 } });
    const calls = Promise.all(rows(12).map((each) => client.call(each, validate)));
    while (server.requests.length < 2) await settle();
    await gate.close('person', 'paused', null);
    const outcomes = await calls;
    expect(outcomes.filter(({ kind }) => kind === 'reply')).toHaveLength(2);
    expect(outcomes.filter(({ kind }) => kind === 'paused')).toHaveLength(10);
    expect(server.requests).toHaveLength(2);
    expect(ledger.all().every((attempt) => attempt.class !== null)).toBe(true);
  });

  it('pauses when none of the first 20 replies of a step can be used, and shows one', async () => {
    server = await scriptedServer(() => completion('Once upon a time'));
    const clock = new FakeClock();
    const { client, gate } = testClient(server, { clock, limits: { concurrency: 4, startConcurrency: 4 } });
    const outcomes = await clock.drive(Promise.all(rows(60).map((each) => client.call(each, validate))));
    expect(gate.closings[0]).toMatchObject({ reason: 'parse_rate' });
    expect(gate.closings[0]?.detail).toContain('Once upon a time');
    expect(server.requests.length).toBeGreaterThanOrEqual(20);
    expect(server.requests.length).toBeLessThanOrEqual(24);
    expect(outcomes.filter(({ kind }) => kind === 'paused').length).toBeGreaterThan(30);
  });

  it('does not pause when one of the first 20 was good', async () => {
    server = await scriptedServer(({ seen }) => completion(seen === 20 ? GOOD : 'prose'));
    const { client, gate } = testClient(server);
    for (const each of rows(25)) await client.call(each, validate);
    expect(gate.closings).toEqual([]);
  });

  it('pauses on a full disk, keeps the paid reply, and writes it after the resume without paying again', async () => {
    const ledger = new MemoryLedger();
    server = await scriptedServer(() => {
      ledger.failWrites = Object.assign(new Error('no space'), { code: 'disk_full' });
      return completion(GOOD);
    });
    const { client, gate } = testClient(server, { ledger });
    expect(await client.call(request('a'), validate)).toMatchObject({ kind: 'paused', reason: 'disk' });
    ledger.failWrites = null;
    gate.open();
    expect(await client.call(request('a'), validate)).toMatchObject({ kind: 'reply', text: GOOD, served: 'ledger' });
    expect(server.requests).toHaveLength(1);
  });

  it('does not hand the pause of one run to another that wants the same call', async () => {
    server = await scriptedServer(() => completion(GOOD));
    const { client, gate } = testClient(server, {
      limits: { concurrency: 1, startConcurrency: 1 },
      caps: (runId) => (runId === 'run-1' ? { perRunMicroUsd: 10 } : {}),
    });
    gate.state = (runId?: string) => ({ closed: runId === 'run-1' && gate.closings.length > 0, reason: 'budget', until: null });
    const [capped, free] = await Promise.all([
      client.call(request('a'), validate),
      client.call(request('a', { runId: 'run-2' }), validate),
    ]);
    expect([capped.kind, free.kind]).toEqual(['paused', 'reply']);
  });

  it('keeps a paid reply when a validator is at fault', async () => {
    server = await scriptedServer(({ seen }) => (seen === 1 ? completion(GOOD) : undefined));
    const { client } = testClient(server);
    await expect(client.call(request('a'), faulty)).rejects.toThrow('a bug of ours');
    expect(await client.call(request('a'), validate)).toMatchObject({ kind: 'reply', served: 'ledger' });
  });
});

describe('caps', () => {
  // One call costs 100 × 1 + 50 × 2 = 200 micro-USD; its worst case is about 100 + 400 × 2.
  it.each([
    ['run', { perRunMicroUsd: 5000 }],
    ['step', { perStepMicroUsd: 5000 }],
    ['day', { perDayMicroUsd: 5000 }],
  ])('a cap per %s pauses before it is exceeded, survives a restart and goes on when raised', async (_, caps) => {
    server = await scriptedServer(() => ({ ...completion(GOOD), afterMs: 2 }));
    const clock = new FakeClock();
    const first = testClient(server, { clock, caps: () => caps });
    const outcomes = await clock.drive(
      Promise.all(rows(60).map((each) => first.client.call(each, validate))),
      5,
      () => (server?.load.now ?? 0) > 0,
    );
    const spent = (await first.ledger.spent({})).microUsd;
    expect(first.gate.closings[0]).toMatchObject({ reason: 'budget' });
    expect(first.gate.closings[0]?.detail).toContain('$0.005');
    expect(spent).toBeLessThanOrEqual(5000);
    expect(spent).toBeGreaterThanOrEqual(4000);
    expect(outcomes.some(({ kind }) => kind === 'paused')).toBe(true);
    const calls = server.requests.length;
    const restarted = testClient(server, { clock, caps: () => caps, ledger: first.ledger });
    expect(await clock.drive(restarted.client.call(request('fresh'), validate))).toMatchObject({ kind: 'paused', reason: 'budget' });
    expect(server.requests).toHaveLength(calls);
    const raised = testClient(server, { clock, caps: () => ({}), ledger: first.ledger });
    const again = await clock.drive(
      Promise.all(rows(60).map((each) => raised.client.call(each, validate))),
      5,
      () => (server?.load.now ?? 0) > 0,
    );
    expect(again.every(({ kind }) => kind === 'reply')).toBe(true);
    expect(server.requests).toHaveLength(60);
    expect((await first.ledger.spent({})).microUsd).toBe(60 * 200);
  });

  it('counts what a timed-out call sent, since it may have been billed, but nothing for one that never connected', async () => {
    server = await scriptedServer(() => ({ fault: 'hang' }));
    const clock = new FakeClock();
    const caps = { perRunMicroUsd: 3000 };
    const long = request('x'.repeat(3000), { maxTokens: 10 });
    const timed = testClient(server, { clock, caps: () => caps, timeoutMs: 50 });
    // About 1,008 input tokens at $1 a million: the third attempt could bring the sum over the cap.
    expect(await clock.drive(timed.client.call(long, validate))).toMatchObject({ kind: 'paused', reason: 'budget' });
    expect(timed.ledger.all().map((attempt) => [attempt.class, attempt.costMicroUsd])).toEqual([
      ['timeout', null],
      ['timeout', null],
    ]);
    const sent = server.requests.length;
    const later = testClient(server, { clock, caps: () => caps, timeoutMs: 50, ledger: timed.ledger });
    const another = request('y'.repeat(3000), { maxTokens: 10 });
    expect(await clock.drive(later.client.call(another, validate))).toMatchObject({ kind: 'paused', reason: 'budget' });
    expect(server.requests, 'the new process counts them too').toHaveLength(sent);
    await server.close();
    const gone = testClient(server, { clock, caps: () => caps });
    expect(await clock.drive(gone.client.call(long, validate))).toMatchObject({ kind: 'failed', class: 'network' });
    expect(gone.ledger.all().map((attempt) => attempt.costMicroUsd)).toEqual([0, 0, 0, 0, 0, 0]);
    server = undefined;
  });

  it('refuses a single call whose worst case is over the cap per call', async () => {
    server = await scriptedServer(() => undefined);
    const { client, gate } = testClient(server, { caps: () => ({ perCallMicroUsd: 500 }) });
    expect(await client.call(request('a'), validate)).toMatchObject({ kind: 'paused', reason: 'budget' });
    expect(gate.closings[0]?.detail).toContain('one call of step screen');
  });

  it('leaves the cost null where no price is known, and counts it as unknown', async () => {
    server = await scriptedServer(() => completion(GOOD));
    const { client, ledger } = testClient(server, { priced: false });
    await client.call(request('a'), validate);
    expect(await ledger.spent({ runId: 'run-1' })).toEqual({ microUsd: 0, unknownCalls: 1, calls: 1 });
  });

  it('adds up: calls = steps = run', async () => {
    server = await scriptedServer(({ seen }) =>
      completion(GOOD, { usage: { prompt_tokens: 37 * seen, completion_tokens: seen, prompt_tokens_details: { cached_tokens: 5 } } }),
    );
    const { client, ledger, events } = testClient(server);
    const steps = ['screen', 'derive', 'atomize'] as const;
    for (const [index, each] of rows(30).entries()) await client.call({ ...each, step: steps[index % 3] ?? 'screen' }, validate);
    const ofSteps = await Promise.all(steps.map((step) => ledger.spent({ runId: 'run-1', step })));
    const run = await ledger.spent({ runId: 'run-1' });
    expect(ofSteps.reduce((sum, { microUsd }) => sum + microUsd, 0)).toBe(run.microUsd);
    expect(events.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0)).toBe(run.microUsd);
    expect(run.calls).toBe(30);
  });
});
