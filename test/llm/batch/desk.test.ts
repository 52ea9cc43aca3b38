import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BatchTransportError } from '../../../llm/batch/transport.ts';
import type { BatchTransport } from '../../../llm/batch/transport.ts';
import { canaryValidator } from '../../../llm/canary.ts';
import type { CallRequest } from '../../../schemas/ledger.ts';
import { answerLine, openRequests } from '../../support/answer-batch.ts';
import { all, batchesAt, bench, endWithEachTest, folder, requests, serve, settingsOf } from './desk-bench.ts';

endWithEachTest();

describe("the provider's batch API", () => {
  it('answers calls through the ledger at the discounted price, in batches of the size asked for, each call sent once', async () => {
    const server = await serve({ batchDelayMs: 50 });
    const made = await bench(server, { where: folder(), mode: settingsOf('provider', 4) });
    expect(await made.ask(requests(6))).toEqual(all(6, 'batched'));
    expect(server.stats().calls).toBe(0);
    expect(await made.tend()).toMatchObject({ kind: 'waiting', forPerson: false });
    expect(await made.settle()).toEqual({ kind: 'ready' });
    expect((await made.ask(requests(6))).toSorted()).toEqual([...all(2, 'batched'), ...all(4, 'reply')]);
    expect(await made.tend()).toMatchObject({ kind: 'waiting' });
    expect(await made.settle()).toEqual({ kind: 'ready' });
    expect(await made.ask(requests(6))).toEqual(all(6, 'reply'));
    expect(server.stats().calls).toBe(6);
    const { microUsd, unknownCalls } = await made.store.ledger.spent({});
    const attempts = await made.store.ledger.attempts(requests(6).map(({ key }) => key));
    const tokens = [...attempts.values()]
      .flat()
      .map(({ usage }) => (usage?.freshInput ?? 0) + (usage?.cachedInput ?? 0) + (usage?.output ?? 0));
    expect(unknownCalls).toBe(0);
    expect(microUsd).toBe(tokens.reduce((sum, count) => sum + Math.round(count * 50), 0));
    expect(microUsd).toBeGreaterThan(0);
  });

  it('keeps what an expired batch finished and sends only the rest again', async () => {
    const server = await serve({ batchAnsweredShare: 0.5 });
    const made = await bench(server, { where: folder() });
    await made.ask(requests(12));
    await made.tend();
    expect(await made.settle()).toEqual({ kind: 'ready' });
    const kinds = await made.ask(requests(12));
    const kept = kinds.filter((kind) => kind === 'reply').length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(12);
    expect(server.stats().calls).toBe(kept);
    const { waiting } = { waiting: 12 - kept };
    expect(kinds.filter((kind) => kind === 'batched')).toHaveLength(waiting);
    await made.tend();
    const [batch] = await made.store.batches.out();
    expect(batch?.requests).toBe(waiting);
    expect((await made.store.ledger.spent({})).unknownCalls, 'expired requests are free; those out now may be paid').toBe(waiting);
  });

  it.each<[string, number]>([
    ['once the batch is ordered and before its id is stored', 1],
    ['before it is uploaded', 0],
  ])('a process that dies %s sends nothing twice', async (_, ordered) => {
    const server = await serve({ batchDelayMs: 100 });
    const where = folder();
    const dying = await bench(server, {
      where,
      wrap: (transport) => ({
        ...transport,
        submit: async (batch, lines) => {
          if (ordered === 1) await transport.submit(batch, lines);
          throw new Error('killed');
        },
      }),
    });
    await dying.ask(requests(5));
    await expect(dying.tend()).rejects.toThrow('killed');
    await dying.close();
    expect(await batchesAt(server)).toBe(ordered);

    const next = await bench(server, { where });
    expect(await next.ask(requests(5)), 'what may be out is not sent another way').toEqual(all(5, 'batched'));
    expect((await next.tend()).kind).toBe(ordered === 1 ? 'waiting' : 'ready');
    if (ordered === 0) {
      expect(await next.ask(requests(5))).toEqual(all(5, 'batched'));
      await next.tend();
    }
    expect(await next.settle()).toEqual({ kind: 'ready' });
    expect(await next.ask(requests(5))).toEqual(all(5, 'reply'));
    expect(await batchesAt(server)).toBe(1);
    expect(server.stats().calls).toBe(5);
  });

  it('a batch that is out when a process dies is waited for by the next one, under the same caps', async () => {
    const server = await serve();
    const where = folder();
    let isRunning = true;
    const wrap = (transport: BatchTransport): BatchTransport => ({
      ...transport,
      look: (batch, asked) => (isRunning ? Promise.resolve({ kind: 'working', said: 'running' }) : transport.look(batch, asked)),
    });
    const first = await bench(server, { where, wrap });
    await first.ask(requests(3));
    await first.tend();
    await first.close();
    const second = await bench(server, { where, wrap, caps: { perRunMicroUsd: 150_000 } });
    expect(await second.ask(requests(4))).toEqual(all(4, 'batched'));
    expect(await second.tend()).toMatchObject({ kind: 'waiting' });
    expect(await second.store.batches.out(), 'the money set aside leaves no room for the fourth').toHaveLength(1);
    isRunning = false;
    expect(await second.settle()).toEqual({ kind: 'ready' });
    expect((await second.ask(requests(4))).filter((kind) => kind === 'reply')).toHaveLength(3);
  });

  it('sends as much as a cap lets go at the batch price, and pauses when not one call fits', async () => {
    const server = await serve();
    const made = await bench(server, { where: folder(), caps: { perRunMicroUsd: 120_000 } });
    await made.ask(requests(6));
    await made.tend();
    const [batch] = await made.store.batches.out();
    expect(batch?.requests).toBe(2);
    const tight = await bench(server, { where: folder(), caps: { perRunMicroUsd: 40_000 } });
    await tight.ask(requests(2));
    expect(await tight.tend()).toMatchObject({ kind: 'paused' });
    expect(tight.gate.closings[0]).toMatchObject({ reason: 'budget' });
    expect(await tight.store.batches.out()).toEqual([]);
  });

  it('a refused key pauses the run and leaves no batch behind; after a resume the calls go', async () => {
    const server = await serve();
    let refuse = true;
    const detail = 'HTTP 401';
    const made = await bench(server, {
      where: folder(),
      wrap: (transport) => ({
        ...transport,
        submit: (batch, lines) =>
          refuse
            ? Promise.reject(new BatchTransportError(detail, { reason: 'config_error', detail, until: null }))
            : transport.submit(batch, lines),
      }),
    });
    await made.ask(requests(2));
    expect(await made.tend()).toMatchObject({ kind: 'paused', reason: detail });
    expect(await made.store.batches.out()).toEqual([]);
    refuse = false;
    made.gate.open();
    expect(await made.ask(requests(2))).toEqual(all(2, 'batched'));
    expect(await made.tend()).toMatchObject({ kind: 'waiting' });
    expect(await made.settle()).toEqual({ kind: 'ready' });
    expect(await made.ask(requests(2))).toEqual(all(2, 'reply'));
  });

  it('tries again what the network kept from arriving, without a second order', async () => {
    const server = await serve();
    let broken = 2;
    const made = await bench(server, {
      where: folder(),
      wrap: (transport) => ({
        ...transport,
        submit: async (batch, lines) => {
          const id = broken === 1 ? await transport.submit(batch, lines) : '';
          if (broken-- > 0) throw new BatchTransportError(`The line broke after ${id === '' ? 'nothing' : 'the order'}`);
          return transport.submit(batch, lines);
        },
      }),
    });
    await made.ask(requests(3));
    expect(await made.tend()).toMatchObject({ kind: 'waiting', sentence: expect.stringContaining('tried again') as string });
    expect(await made.tend()).toMatchObject({ kind: 'waiting' });
    expect(await made.settle()).toEqual({ kind: 'ready' });
    expect(await made.ask(requests(3))).toEqual(all(3, 'reply'));
    expect(await batchesAt(server)).toBe(1);
  });

  it('a batch the provider refuses as a whole pauses with its reason', async () => {
    const made = await bench(await serve(), {
      where: folder(),
      wrap: (transport) => ({ ...transport, look: () => Promise.resolve({ kind: 'refused', why: 'line 3: no such model' }) }),
    });
    await made.ask(requests(2));
    await made.tend();
    expect(await made.tend()).toMatchObject({ kind: 'paused', reason: expect.stringContaining('line 3: no such model') as string });
    expect(await made.store.batches.out()).toEqual([]);
  });
});

describe('batches as files', () => {
  it('keeps good answers, names broken and unknown lines by number, and asks the rest again once a person says so', async () => {
    const server = await serve();
    const where = folder();
    const made = await bench(server, { where, mode: settingsOf('file') });
    await made.ask(requests(6));
    expect(await made.tend()).toMatchObject({
      kind: 'waiting',
      forPerson: true,
      sentence: expect.stringContaining('6 requests') as string,
    });
    expect(await made.tend(true), 'no answers yet: nothing is asked again').toMatchObject({ kind: 'waiting' });
    const [[file, asked]] = [...openRequests(where)] as [[string, Parameters<typeof answerLine>[1][]]];
    const good = await Promise.all(asked.slice(0, 3).map((request) => answerLine(server.url, request)));
    const stranger = (good[0] ?? '').replaceAll(/"custom_id":"[^"]*"/g, '"custom_id":"stranger-1"');
    writeFileSync(file, [good[0], '{"custom_id": 7}', good[1], '', stranger, good[0], good[2], `{"custom_id":"cut`].join('\n'));

    expect(await made.tend(), 'what is there is taken in').toEqual({ kind: 'ready' });
    expect((await made.ask(requests(6))).filter((kind) => kind === 'reply')).toHaveLength(3);
    expect(await made.tend(), 'the rest may still come').toMatchObject({ kind: 'waiting', forPerson: true });
    expect(await made.tend(true)).toEqual({ kind: 'ready' });
    const note = made.notices.at(-1) ?? '';
    expect(note).toContain('line 2 is no result line (field custom_id)');
    expect(note).toContain('line 5 names an unknown request stranger-1');
    expect(note).toContain('line 8 is not JSON');
    expect(note).toContain('3 are asked again');
    expect((await made.ask(requests(6))).filter((kind) => kind === 'batched')).toHaveLength(3);
    expect(await made.tend()).toMatchObject({ kind: 'waiting', sentence: expect.stringContaining('line 5 names an unknown') as string });
    const again = [...openRequests(where).values()][0] ?? [];
    expect(again.map(({ body }) => body)).toEqual(expect.arrayContaining(asked.slice(3).map(({ body }) => body)));
    expect(again).toHaveLength(3);
  });

  it('a reply that breaks a rule is kept as such, and one of a call that is over changes nothing', async () => {
    const server = await serve();
    const where = folder();
    const made = await bench(server, { where, mode: settingsOf('file') });
    const [one] = requests(1) as [CallRequest];
    await made.ask([one]);
    await made.tend();
    const [[file, asked]] = [...openRequests(where)] as [[string, Parameters<typeof answerLine>[1][]]];
    const prose = JSON.parse(await answerLine(server.url, asked[0] ?? { custom_id: '', body: {} })) as {
      response: { body: { choices: { message: { content: string } }[] } };
    };
    for (const { message } of prose.response.body.choices) message.content = 'Gladly!';
    writeFileSync(file, `${JSON.stringify(prose)}\n`);
    expect(await made.tend()).toEqual({ kind: 'ready' });
    expect(await made.client.call(one, canaryValidator)).toMatchObject({ kind: 'invalid', class: 'not_json', text: 'Gladly!' });
    writeFileSync(file, `${JSON.stringify(prose)}\n${JSON.stringify(prose)}\n`);
    expect(await made.tend(true)).toEqual({ kind: 'ready' });
    expect((await made.store.ledger.attempts([one.key])).get(one.key)).toHaveLength(1);
  });

  it('keeps requests to their owner, and holds no key', async () => {
    const where = folder();
    const made = await bench(await serve(), { where, mode: settingsOf('file') });
    await made.ask(requests(1));
    await made.tend();
    const [file] = [...openRequests(where).keys()];
    const text = readFileSync((file ?? '').replace('.results.', '.requests.'), 'utf8');
    expect(text).not.toMatch(/authorization|bearer/i);
  });

  it('what is out is not sent another way by a later build without batches', async () => {
    const server = await serve();
    const where = folder();
    const first = await bench(server, { where, mode: settingsOf('file') });
    await first.ask(requests(2));
    await first.tend();
    await first.close();
    const second = await bench(server, { where, mode: () => null });
    expect(await second.ask(requests(3))).toEqual([...all(2, 'batched'), 'reply']);
    expect(server.stats().calls).toBe(1);
  });
});
