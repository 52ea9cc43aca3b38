import { afterEach, describe, expect, it } from 'vitest';
import { DriftSentinel } from '../../llm/drift.ts';
import type { WatchedRole } from '../../llm/canary.ts';
import type { CallEvent } from '../../llm/client-parts.ts';
import { request, testClient } from './bench.ts';
import { completion, scriptedServer } from './scripted-server.ts';
import type { ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  const open = server;
  server = undefined;
  await open?.close();
});

const roles: readonly WatchedRole[] = [{ role: 'builder', provider: 'p', model: 'm', sampling: { temperature: 0.7 } }];

async function watch(serve: { answer: string; model: string; fingerprint: string }, facts = new Map<string, string>(), everyCalls = 10) {
  server ??= await scriptedServer(() => completion(serve.answer, { model: serve.model, system_fingerprint: serve.fingerprint }));
  const { client, gate, ledger } = testClient(server);
  const notices: string[] = [];
  const sentinel = new DriftSentinel({
    client,
    gate,
    roles,
    readFact: async (name) => facts.get(name) ?? null,
    writeFact: async (name, value) => void facts.set(name, value),
    attemptsOf: async (key) => (await ledger.attempts([key])).get(key) ?? [],
    notice: (sentence) => notices.push(sentence),
    everyCalls,
  });
  return { sentinel, gate, ledger, notices, facts };
}

const event = (over: Partial<CallEvent> = {}): CallEvent => ({
  request: request('x'),
  attempt: 1,
  class: 'ok',
  usage: null,
  costMicroUsd: null,
  latencyMs: 1,
  returnedModel: 'one',
  fingerprint: 'f1',
  ...over,
});
const steady = () => ({ answer: '{"sum":42}', model: 'one', fingerprint: 'f1' });

describe('drift', () => {
  it('asks one canary at the start and one every so many calls, each a new call in the ledger', async () => {
    const { sentinel, gate, ledger } = await watch(steady());
    await sentinel.start('run-1');
    for (let call = 0; call < 30; call++) {
      sentinel.observe(event());
      await sentinel.idle();
    }
    expect(ledger.all()).toHaveLength(4);
    expect(ledger.all().every(({ step }) => step === 'canary')).toBe(true);
    expect(gate.closings).toEqual([]);
  });

  it('pauses with both values when another name comes back', async () => {
    const { sentinel, gate } = await watch(steady());
    await sentinel.start('run-1');
    sentinel.observe(event({ returnedModel: 'two' }));
    await sentinel.idle();
    expect(gate.closings).toHaveLength(1);
    expect(gate.closings[0]).toMatchObject({ reason: 'drift', until: null });
    expect(gate.closings[0]?.detail).toMatch(/changed from one to two/);
  });

  it('pauses with both replies when the canary moves, also after a restart, and not for one odd reply', async () => {
    const served = steady();
    const first = await watch(served);
    await first.sentinel.start('run-1');
    served.answer = '{"sum":41}';
    const second = await watch(served, first.facts);
    await second.sentinel.start('run-2');
    expect(second.gate.closings[0]?.detail).toMatch(/\{"sum":42\} to \{"sum":41\}/);
    served.answer = '{ "sum": 42 }';
    const third = await watch(served, first.facts);
    await third.sentinel.start('run-3');
    expect(third.gate.closings).toEqual([]);
  });

  it('asks a canary once for a new fingerprint and goes on when it does not move', async () => {
    const served = steady();
    const { sentinel, gate, ledger, notices } = await watch(served, new Map(), 1000);
    await sentinel.start('run-1');
    served.fingerprint = 'f2';
    for (let call = 0; call < 6; call++) {
      sentinel.observe(event({ fingerprint: call % 2 === 0 ? 'f2' : 'f1' }));
      await sentinel.idle();
    }
    expect(ledger.all()).toHaveLength(2);
    expect(notices.join()).toContain('f2');
    expect(gate.closings).toEqual([]);
  });

  it('takes what comes next as the new baseline once a person has accepted', async () => {
    const served = steady();
    const { sentinel, gate } = await watch(served);
    await sentinel.start('run-1');
    Object.assign(served, { answer: '{"sum":7}', model: 'two' });
    await sentinel.accept();
    await sentinel.start('run-1');
    sentinel.observe(event({ returnedModel: 'two' }));
    await sentinel.idle();
    expect(gate.closings).toEqual([]);
  });
});
