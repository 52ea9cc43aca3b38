import { describe, expect, it } from 'vitest';
import type { LedgerStore } from '../../schemas/ledger.ts';
import { MemoryLedger } from '../llm/memory-ledger.ts';
import { completion, intent, keyOf } from '../store/made.ts';
import { tempStore } from '../store/samples.ts';

const LEDGERS: readonly { readonly name: string; readonly open: () => Promise<LedgerStore> }[] = [
  { name: 'DuckDB', open: async () => (await tempStore()).store.ledger },
  { name: 'the ledger in memory that unit tests use', open: () => Promise.resolve(new MemoryLedger()) },
];

describe.each(LEDGERS)('the ledger port on $name', ({ open }) => {
  it('tells attempts by key in the order of their numbers, and nothing of keys it does not know', async () => {
    const ledger = await open();
    await ledger.writeIntents([intent('a'), intent('b')]);
    await ledger.writeCompletions([completion('a', 1, { class: 'server_error', replyText: null, usage: null, costMicroUsd: 0 })]);
    await ledger.writeIntents([intent('a', 2)]);
    const found = await ledger.attempts([keyOf('b'), keyOf('a'), keyOf('never')]);
    expect((found.get(keyOf('a')) ?? []).map(({ attempt, class: ended }) => [attempt, ended])).toEqual([
      [1, 'server_error'],
      [2, null],
    ]);
    expect((found.get(keyOf('b')) ?? []).map(({ completedAt }) => completedAt)).toEqual([null]);
    expect(found.has(keyOf('never'))).toBe(false);
  });

  it('keeps the first success when another completion of the attempt comes late', async () => {
    const ledger = await open();
    await ledger.writeIntents([intent('a')]);
    await ledger.writeCompletions([completion('a')]);
    await ledger.writeCompletions([completion('a', 1, { replyText: '{"atoms":["other"]}', completedAt: 9_000 })]);
    expect(await ledger.replies([{ key: keyOf('a'), attempt: 1 }])).toEqual([
      { key: keyOf('a'), attempt: 1, replyText: '{"atoms":["a"]}' },
    ]);
    expect((await ledger.attempts([keyOf('a')])).get(keyOf('a'))).toHaveLength(1);
  });

  it('has no reply where none came, and refuses a completion of an attempt nobody announced', async () => {
    const ledger = await open();
    await ledger.writeIntents([intent('a')]);
    await ledger.writeCompletions([
      completion('a', 1, { class: 'timeout', replyText: null, rawBody: null, usage: null, costMicroUsd: null }),
    ]);
    expect(await ledger.replies([{ key: keyOf('a'), attempt: 1 }])).toEqual([]);
    await expect(ledger.writeCompletions([completion('z')])).rejects.toThrow(/unknown_attempt|no stored attempt/);
  });

  it('counts series from 0 and opens them for failed keys', async () => {
    const ledger = await open();
    await ledger.writeIntents([intent('a')]);
    await ledger.writeCompletions([completion('a', 1, { class: 'refused', replyText: null })]);
    expect((await ledger.series([keyOf('a')])).get(keyOf('a')) ?? 0).toBe(0);
    await ledger.openSeries([keyOf('a')], 'run-1');
    expect((await ledger.series([keyOf('a')])).get(keyOf('a'))).toBe(1);
  });

  it('sums known costs, and counts open and unpriced attempts as unknown', async () => {
    const ledger = await open();
    await ledger.writeIntents([intent('a'), intent('b'), intent('c', 1, { step: 'screen' }), intent('d', 1, { runId: 'run-2' })]);
    await ledger.writeCompletions([completion('a'), completion('b', 1, { costMicroUsd: null }), completion('c'), completion('d')]);
    await ledger.writeIntents([intent('e')]);
    expect(await ledger.spent({})).toEqual({ microUsd: 750, unknownCalls: 2, calls: 5 });
    expect(await ledger.spent({ runId: 'run-1' })).toEqual({ microUsd: 500, unknownCalls: 2, calls: 4 });
    expect(await ledger.spent({ runId: 'run-1', step: 'screen' })).toEqual({ microUsd: 250, unknownCalls: 0, calls: 1 });
  });

  it('names the calls without a known cost by model: open ones and ended ones, of a run, a step or a time', async () => {
    const ledger = await open();
    await ledger.writeIntents([intent('a'), intent('b'), intent('c', 1, { step: 'screen' }), intent('d', 1, { runId: 'run-2' })]);
    await ledger.writeCompletions([completion('a'), completion('b', 1, { costMicroUsd: null })]);
    const named = async (scope: Parameters<LedgerStore['unpriced']>[0]): Promise<readonly string[]> =>
      (await ledger.unpriced(scope)).flatMap((group) => {
        expect(group).toMatchObject({ provider: 'rehearsal', model: 'model-a', batched: false, calls: group.keys.length });
        return group.keys;
      });
    expect((await named({})).toSorted()).toEqual([keyOf('b'), keyOf('c'), keyOf('d')].toSorted());
    expect((await named({ runId: 'run-1' })).toSorted()).toEqual([keyOf('b'), keyOf('c')].toSorted());
    expect(await named({ runId: 'run-1', step: 'screen' })).toEqual([keyOf('c')]);
    expect(await named({ sinceMs: 2_000 })).toEqual([keyOf('b')]);
    expect((await ledger.requests([keyOf('b')])).get(keyOf('b'))?.messages).toHaveLength(2);
  });
});
