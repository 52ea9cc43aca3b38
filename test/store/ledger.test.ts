import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { completion, intent, keyOf, request } from './made.ts';
import { reopened, tempStore } from './samples.ts';

test('an intent is durable before its call and an open attempt survives a reopening', async () => {
  const { store, file } = await tempStore();
  await store.ledger.writeIntents([intent('a')]);
  await store.close();
  const again = await reopened(file);
  const [attempt] = (await again.ledger.attempts([keyOf('a'), keyOf('never')])).get(keyOf('a')) ?? [];
  expect(attempt).toMatchObject({ attempt: 1, series: 0, intendedAt: 1_001, completedAt: null, class: null, usage: null, role: 'builder' });
  expect(await again.ledger.attempts([keyOf('never')])).toEqual(new Map());
});

test('a completion comes back as it was stored, with its reply, raw body and request', async () => {
  const { store, file } = await tempStore();
  const sent = request('a', { messages: [...request('a').messages, { role: 'user', content: 'lone \ud800 and \u0000' }] });
  await store.ledger.writeIntents([{ ...intent('a'), request: sent }]);
  await store.ledger.writeCompletions([completion('a')]);
  for (const open of [() => Promise.resolve(store), () => store.close().then(() => reopened(file))]) {
    const { ledger } = await open();
    const done = completion('a');
    const [attempt] = (await ledger.attempts([keyOf('a')])).get(keyOf('a')) ?? [];
    expect(attempt).toMatchObject({
      class: 'ok',
      finishReason: 'stop',
      usage: done.usage,
      costMicroUsd: 250,
      latencyMs: 180,
      returnedModel: 'model-a-2026',
      requestId: 'req-a-1',
      completedAt: 2_001,
    });
    expect(await ledger.replies([{ key: keyOf('a'), attempt: 1 }])).toEqual([{ key: keyOf('a'), attempt: 1, replyText: done.replyText }]);
    expect(await ledger.rawBody(keyOf('a'), 1)).toBe(done.rawBody);
    const { provider, model, messages, sampling, responseFormat, sampleIndex } = sent;
    expect((await ledger.requests([keyOf('a')])).get(keyOf('a'))).toEqual({
      provider,
      model,
      messages,
      sampling,
      responseFormat,
      sampleIndex,
    });
  }
});

test.each([
  { title: 'two successes: the first is served', classes: ['ok', 'ok'], served: 0 },
  { title: 'a failure, then a success: the success is served', classes: ['timeout', 'ok'], served: 1 },
  { title: 'a success, then a failure: the success is served', classes: ['ok', 'network'], served: 0 },
  { title: 'two failures: the first holds', classes: ['network', 'timeout'], served: 0 },
] as const)('$title, the other is kept and counted as a duplicate', async ({ classes, served }) => {
  const { store, file } = await tempStore();
  await store.ledger.writeIntents([intent('a')]);
  for (const [i, name] of classes.entries()) {
    await store.ledger.writeCompletions([completion('a', 1, { class: name, replyText: `reply ${i}` })]);
  }
  const before = await store.ledger.replies([{ key: keyOf('a'), attempt: 1 }]);
  expect(before[0]?.replyText).toBe(`reply ${served}`);
  expect(store.ledger.counts()).toEqual({ keys: 1, attempts: 1, completions: 2, duplicates: 1 });
  await store.close();
  const again = await reopened(file);
  expect(await again.ledger.replies([{ key: keyOf('a'), attempt: 1 }])).toEqual(before);
  expect(again.ledger.counts()).toEqual({ keys: 1, attempts: 1, completions: 2, duplicates: 1 });
  const [attempt] = (await again.ledger.attempts([keyOf('a')])).get(keyOf('a')) ?? [];
  expect(attempt?.class).toBe(classes[served]);
});

test('attempts are listed by number over many keys in one call, also when written out of order', async () => {
  const { store } = await tempStore();
  const names = Array.from({ length: 300 }, (_, n) => `call ${n}`);
  await store.ledger.writeIntents(names.map((name) => intent(name, 2)));
  await store.ledger.writeIntents(names.map((name) => intent(name, 1)));
  await store.ledger.writeCompletions(names.map((name) => completion(name, 2)));
  const found = await store.ledger.attempts(names.map((name) => keyOf(name)));
  expect(found.size).toBe(300);
  for (const attempts of found.values())
    expect(attempts.map(({ attempt, class: ended }) => [attempt, ended])).toEqual([
      [1, null],
      [2, 'ok'],
    ]);
});

test('two writers of one attempt: one is durable, the other is told that it is taken', async () => {
  const { store } = await tempStore();
  const ends = await Promise.allSettled([store.ledger.writeIntents([intent('a')]), store.ledger.writeIntents([intent('a'), intent('b')])]);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(store.ledger.writeIntents([intent('a')])).rejects.toMatchObject({ code: 'attempt_taken' });
  expect((await store.ledger.attempts([keyOf('a')])).get(keyOf('a'))).toHaveLength(1);
  await store.ledger.writeIntents([intent('b')]);
});

test('a completion without a durable intent is refused and names the call', async () => {
  const { store } = await tempStore();
  await expect(store.ledger.writeCompletions([completion('a')])).rejects.toMatchObject({
    code: 'unknown_attempt',
    message: expect.stringContaining(keyOf('a')),
  });
});

test('a new series opens for failed keys only, once, and survives a reopening', async () => {
  const { store, file } = await tempStore();
  await store.ledger.writeIntents([intent('failed'), intent('good'), intent('open')]);
  await store.ledger.writeCompletions([completion('failed', 1, { class: 'refused' }), completion('good')]);
  const keys = ['failed', 'good', 'open', 'never'].map((name) => keyOf(name));
  await store.ledger.openSeries(keys, 'run-2');
  await store.ledger.openSeries(keys, 'run-2');
  const wanted = [1, 0, 1, 0];
  expect([...(await store.ledger.series(keys)).values()]).toEqual(wanted);
  await store.close();
  const again = await reopened(file);
  expect([...(await again.ledger.series(keys)).values()]).toEqual(wanted);
});

test('spending adds known costs and counts unknown ones, by run, by step, since a time, before and after a reopening', async () => {
  const { store, file } = await tempStore();
  await store.ledger.writeIntents([
    intent('a'),
    intent('b', 1, { step: 'derive' }),
    intent('c', 1, { runId: 'run-2' }),
    intent('d', 1, { runId: 'run-2' }),
  ]);
  await store.ledger.writeCompletions([
    completion('a'),
    completion('b', 1, { costMicroUsd: null }),
    completion('c', 1, { completedAt: 9_000 }),
  ]);
  await store.ledger.writeCompletions([completion('a', 1, { costMicroUsd: 40 })]);
  const table = [
    [{}, { microUsd: 540, unknownCalls: 2, calls: 5 }],
    [{ runId: 'run-1' }, { microUsd: 290, unknownCalls: 1, calls: 3 }],
    [
      { runId: 'run-1', step: 'derive' },
      { microUsd: 0, unknownCalls: 1, calls: 1 },
    ],
    [{ step: 'atomize' }, { microUsd: 540, unknownCalls: 1, calls: 4 }],
    [{ sinceMs: 0 }, { microUsd: 540, unknownCalls: 2, calls: 5 }],
    [{ sinceMs: 5_000 }, { microUsd: 250, unknownCalls: 0, calls: 1 }],
    [
      { sinceMs: 5_000, runId: 'run-1' },
      { microUsd: 0, unknownCalls: 0, calls: 0 },
    ],
    [{ runId: 'none' }, { microUsd: 0, unknownCalls: 0, calls: 0 }],
  ] as const;
  for (const [scope, sums] of table) expect([scope, await store.ledger.spent(scope)]).toEqual([scope, sums]);
  await store.close();
  const again = await reopened(file);
  for (const [scope, sums] of table) expect([scope, await again.ledger.spent(scope)]).toEqual([scope, sums]);
});

test.each([
  { table: 'call_replies', sql: "UPDATE call_replies SET body = 'broken'::BLOB", read: 'reply' },
  { table: 'call_replies', sql: "UPDATE call_replies SET sha256 = repeat('0', 64)", read: 'reply' },
  { table: 'call_requests', sql: "UPDATE call_requests SET sha256 = repeat('0', 64)", read: 'request' },
  { table: 'shared_texts', sql: "UPDATE shared_texts SET body = 'x'::BLOB", read: 'request' },
] as const)('a flipped byte in $table is noticed on read and the call is named ($sql)', async ({ sql, read }) => {
  const { store, file } = await tempStore();
  await store.ledger.writeIntents([intent('a')]);
  await store.ledger.writeCompletions([completion('a')]);
  await store.close();
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
  const { ledger } = await reopened(file);
  const reading = read === 'reply' ? ledger.replies([{ key: keyOf('a'), attempt: 1 }]) : ledger.requests([keyOf('a')]);
  await expect(reading).rejects.toMatchObject({ code: 'corrupt_body', name: 'StoreError', message: expect.stringContaining(keyOf('a')) });
});

test('a system prompt and a format stand once for all calls that share them, also when 64 writers begin together', async () => {
  const { store, file } = await tempStore();
  await Promise.all(Array.from({ length: 64 }, (_, n) => store.ledger.writeIntents([intent(`call ${n}`)])));
  await store.close();
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  const rows = await (await connection.run('SELECT count(*) FROM shared_texts')).getRows();
  connection.closeSync();
  instance.closeSync();
  expect(rows).toEqual([[2n]]);
});

test('numbers with fractions and odd texts never cost a paid reply', async () => {
  const { store } = await tempStore();
  await store.ledger.writeIntents([intent('a')]);
  await store.ledger.writeCompletions([
    completion('a', 1, { latencyMs: 12.7, completedAt: 2_000.4, message: 'a\u0000b \ud800', replyText: 'x \udc00 \u0000', rawBody: null }),
  ]);
  const [attempt] = (await store.ledger.attempts([keyOf('a')])).get(keyOf('a')) ?? [];
  expect(attempt).toMatchObject({ latencyMs: 13, completedAt: 2_000, message: 'a\u2400b \ufffd' });
  const [reply] = await store.ledger.replies([{ key: keyOf('a'), attempt: 1 }]);
  expect(reply?.replyText).toBe('x \ufffd \u0000');
  expect(store.textRepairs()).toEqual({ loneSurrogates: 2, nuls: 1 });
});
