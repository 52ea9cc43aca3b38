import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rowContent } from '../../store/row-content.ts';
import type { Kept } from '../../store/garbage.ts';
import { openStore } from '../../store/open.ts';
import type { OutcomeRow, StepOutputRow } from '../../store/port.ts';
import type { DuckDbStore } from '../../store/duckdb-store.ts';
import { candidate, completion, intent, keyOf, pages } from './made.ts';
import { reopened, tempFolder, tempStore } from './samples.ts';
import { putOrder } from '../support/put-order.ts';

const OLD = 5_000;
const CUT = 10_000;
const YOUNG = 20_000;
const NEW_RUN = { id: 'new', pipelineHash: 'p-new', orderId: 'order-new' } as const;

function verdict(n: number, name: string, at: number, more: Partial<StepOutputRow> = {}): StepOutputRow {
  return {
    candidateId: candidate(n).id,
    step: 'derive',
    stepVersion: `v-${name}`,
    inputHash: 'in',
    verdict: 'accepted',
    reason: null,
    detail: null,
    output: JSON.stringify({ text: name.repeat(2000) }),
    flags: [],
    callKeys: [keyOf(name)],
    runId: 'old',
    at,
    ...more,
  };
}

function outcome(n: number, pipelineHash: string, trail: StepOutputRow | null, at: number): OutcomeRow {
  const { id, row } = candidate(n);
  return {
    candidateId: id,
    pipelineHash,
    rowHash: rowContent(row).rowHash,
    status: 'accepted',
    step: 'review-calibration',
    reason: '',
    detail: '',
    query: 'q',
    example: '{}',
    callKeys: trail?.callKeys ?? [],
    trail: trail === null ? [] : [trail],
    runId: 'old',
    at,
  };
}

async function call(store: DuckDbStore, name: string, runId: string, at: number, step: 'derive' | 'probe' = 'derive'): Promise<void> {
  await store.ledger.writeIntents([{ ...intent(name, 1, { runId, step }), intendedAt: at }]);
  await store.ledger.writeCompletions([completion(name)]);
}

/** An old pipeline over rows 0-3, a new one over rows 0-1 that shares one reply with it. */
async function twoPipelines(): Promise<{ readonly store: DuckDbStore; readonly file: string }> {
  const made = await tempStore();
  const { store } = made;
  const rows = Array.from({ length: 4 }, (_, n) => candidate(n));
  await putOrder(store, { id: 'order-old', createdAt: OLD, facts: '{}' }, pages(rows), pages<never>([]));
  await putOrder(store, { id: 'order-new', createdAt: OLD, facts: '{}' }, pages(rows.slice(0, 2)), pages<never>([]));
  for (const name of ['shared', 'old-only', 'young']) await call(store, name, 'old', name === 'young' ? YOUNG : OLD);
  await call(store, 'probe', 'old', OLD, 'probe');
  await call(store, 'by-new', 'new', OLD);
  const [shared, oldOnly] = [verdict(0, 'shared', OLD), verdict(1, 'old-only', OLD)];
  await store.putStepOutputs([shared, oldOnly]);
  await store.putOutcomes([outcome(0, 'p-old', shared, OLD), outcome(1, 'p-old', oldOnly, OLD), outcome(0, 'p-new', shared, OLD)]);
  return made;
}

const KEPT: Kept = { runs: [NEW_RUN], youngerThanMs: CUT };

const counts = async (store: DuckDbStore, kept: Kept): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries((await store.upkeep.garbage(kept)).map(({ what, rows }) => [what, rows]));

test('garbage is what no kept run, trail, order, probe or youth protects; listing it changes nothing', async () => {
  const { store } = await twoPipelines();
  const found = await store.upkeep.garbage(KEPT);
  expect(Object.fromEntries(found.map(({ what, rows }) => [what, rows]))).toEqual({
    'replies of models': 1,
    'verdicts of steps': 1,
    'outcomes of candidates': 2,
    'orders of candidates': 1,
    'source rows': 2,
    'superseded facts': 0,
  });
  expect(found.find(({ paid }) => paid)).toMatchObject({ microUsd: 250, unknownCosts: 0 });
  expect(await counts(store, { runs: [], youngerThanMs: 0 })).toMatchObject({ 'replies of models': 0, 'orders of candidates': 0 });
  expect(await counts(store, { ...KEPT, runs: [NEW_RUN, { id: 'old', pipelineHash: 'p-old', orderId: 'order-old' }] })).toMatchObject({
    'replies of models': 0,
    'verdicts of steps': 0,
    'outcomes of candidates': 0,
  });
  expect((await store.ledger.replies([{ key: keyOf('old-only'), attempt: 1 }])).length).toBe(1);
});

test('what is dropped is gone for good, what is kept is served as before, and a dropped call may be asked anew', async () => {
  const { store, file } = await twoPipelines();
  await store.upkeep.drop(KEPT);
  await store.close();
  const now = await reopened(file);
  const keys = ['shared', 'old-only', 'young', 'probe', 'by-new'];
  const attempts = await now.ledger.attempts(keys.map((name) => keyOf(name)));
  expect(keys.filter((name) => attempts.has(keyOf(name)))).toEqual(['shared', 'young', 'probe', 'by-new']);
  expect((await now.ledger.replies([{ key: keyOf('shared'), attempt: 1 }]))[0]?.replyText).toBe('{"atoms":["shared"]}');
  expect(await now.outcomes(NEW_RUN, [candidate(0).id])).toHaveLength(1);
  expect(await now.stepOutputs([verdict(0, 'shared', OLD), verdict(1, 'old-only', OLD)])).toHaveLength(1);
  expect(await now.order('order-old')).toBeNull();
  expect((await now.candidates('order-new', 'general', 0, 9)).length).toBe(2);
  expect(Object.values(await counts(now, KEPT))).toEqual([0, 0, 0, 0, 0, 0]);
  await call(now, 'old-only', 'new', YOUNG);
  expect((await now.ledger.attempts([keyOf('old-only')])).get(keyOf('old-only'))).toHaveLength(1);
});

test('compact shrinks a file that has holes and changes nothing else; a copy opens by itself', async () => {
  const { store, file } = await tempStore();
  const rows = Array.from({ length: 400 }, (_, n) => verdict(n, `${n}-${'x'.repeat(20)}`, n < 390 ? OLD : YOUNG));
  await store.putStepOutputs(rows);
  await store.checkpoint();
  await store.upkeep.drop({ runs: [], youngerThanMs: CUT });
  const copy = join(await tempFolder(), 'copy.duckdb');
  await store.upkeep.copyTo(copy);
  const { bytesBefore, bytesAfter } = await store.upkeep.compact();
  await store.close();
  expect(bytesAfter).toBeLessThan(bytesBefore);
  expect(statSync(file).size).toBe(bytesAfter);
  for (const path of [file, copy]) {
    const now = await openStore(path);
    try {
      expect((await now.stepOutputs(rows)).length, path).toBe(10);
      await now.putStepOutputs([verdict(1, 'after', YOUNG)]);
      expect((await now.stepOutputs([verdict(1, 'after', YOUNG)])).length).toBe(1);
    } finally {
      await now.close();
    }
  }
});
