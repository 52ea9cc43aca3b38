import { expect, test } from 'vitest';
import { rowContent } from '../../store/row-content.ts';
import type { RowRejection } from '../../schemas/source-row.ts';
import { candidate, pages, rejection } from './made.ts';
import { reopened, tempStore } from './samples.ts';
import { putOrder } from '../support/put-order.ts';

const ORDER = { id: 'order-1', createdAt: 5, facts: '{"rows":3}' };

async function allRejections(stream: AsyncIterable<readonly RowRejection[]>): Promise<RowRejection[]> {
  const all: RowRejection[] = [];
  for await (const page of stream) all.push(...page);
  return all;
}

async function* broken<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield* pages(items.slice(0, 2_300));
  throw new Error('the source broke off');
}

test('an order comes back by position, by id and by source id, each row with its content hash', async () => {
  const { store, file } = await tempStore();
  const general = Array.from({ length: 250 }, (_, n) => candidate(n));
  const coding = Array.from({ length: 10 }, (_, n) => candidate(n, 'coding', { question: 'lone \ud800 and \u0000 here?' }));
  await putOrder(store, ORDER, pages([...general, ...coding]), pages([rejection(0), rejection(1), rejection(2, 'near_duplicate')]));
  await store.close();
  const again = await reopened(file);
  const page = await again.candidates('order-1', 'general', 120, 140);
  expect(page).toEqual(general.slice(120, 140).map((one) => ({ candidate: one, rowHash: rowContent(one.row).rowHash })));
  expect(await again.candidates('order-1', 'coding', 0, 100)).toHaveLength(10);
  expect(await again.candidates('order-1', 'health', 0, 100)).toEqual([]);
  expect((await again.candidateById('order-1', coding[3]?.id ?? ''))?.candidate).toEqual(coding[3]);
  expect(await again.sourceRow('order-1', 'made:train:general:7')).toEqual(general[7]?.row);
  expect(await again.sourceRow('order-1', 'made:train:r0')).toBeNull();
  expect(await again.candidateCounts('order-1')).toEqual([
    { domain: 'coding', source: 'source-c', count: 10 },
    { domain: 'general', source: 'source-0', count: 125 },
    { domain: 'general', source: 'source-1', count: 125 },
  ]);
  expect(await again.rowRejectionCounts('order-1')).toEqual([
    { source: 'source-0', reason: 'missing_answer', count: 2 },
    { source: 'source-0', reason: 'near_duplicate', count: 1 },
  ]);
  expect(await again.order('order-1')).toEqual(ORDER);
  expect(await again.latestOrder()).toEqual(ORDER);
  expect(await again.order('order-2')).toBeNull();
});

test('rejections are paged in the order they were found', async () => {
  const { store } = await tempStore();
  const rejections = Array.from({ length: 2_500 }, (_, n) => rejection(n));
  await putOrder(store, ORDER, pages<never>([]), pages(rejections, 700));
  expect(await allRejections(store.rowRejections('order-1'))).toEqual(rejections);
});

test.each([
  { title: 'candidates', failing: 'candidates' },
  { title: 'rejections', failing: 'rejections' },
] as const)('a load that breaks off in its $title leaves no visible order, and the same id can be put again', async ({ failing }) => {
  const { store, file } = await tempStore();
  const candidates = Array.from({ length: 2_500 }, (_, n) => candidate(n));
  const rejections = Array.from({ length: 2_500 }, (_, n) => rejection(n));
  const put = putOrder(
    store,
    ORDER,
    failing === 'candidates' ? broken(candidates) : pages(candidates),
    failing === 'rejections' ? broken(rejections) : pages(rejections),
  );
  await expect(put).rejects.toThrow('the source broke off');
  expect(await store.order('order-1')).toBeNull();
  expect(await store.latestOrder()).toBeNull();
  expect(await store.candidates('order-1', 'general', 0, 10)).toEqual([]);
  expect(await store.candidateCounts('order-1')).toEqual([]);
  await store.close();
  const again = await reopened(file);
  await putOrder(again, ORDER, pages(candidates), pages(rejections));
  expect(await again.candidateCounts('order-1')).toEqual([
    { domain: 'general', source: 'source-0', count: 1_250 },
    { domain: 'general', source: 'source-1', count: 1_250 },
  ]);
  expect(await again.rowRejectionCounts('order-1')).toEqual([{ source: 'source-0', reason: 'missing_answer', count: 2_500 }]);
});

test('an order put again is the latest again and doubles nothing; the other order keeps its own places', async () => {
  const { store } = await tempStore();
  const rows = Array.from({ length: 20 }, (_, n) => candidate(n));
  const turned = rows.map((one, n) => ({ ...one, position: rows.length - 1 - n })).reverse();
  await putOrder(store, ORDER, pages(rows), pages([rejection(0)]));
  await putOrder(store, { ...ORDER, id: 'order-2' }, pages(turned), pages<never>([]));
  expect((await store.latestOrder())?.id).toBe('order-2');
  await putOrder(store, { ...ORDER, createdAt: 9 }, pages(rows), pages([rejection(0)]));
  expect(await store.latestOrder()).toEqual({ ...ORDER, createdAt: 9 });
  expect((await store.candidates('order-1', 'general', 0, 100)).map(({ candidate: one }) => one)).toEqual(rows);
  expect((await store.candidates('order-2', 'general', 0, 100)).map(({ candidate: one }) => one)).toEqual(turned);
  expect(await store.rowRejectionCounts('order-1')).toEqual([{ source: 'source-0', reason: 'missing_answer', count: 1 }]);
  expect(await store.rowRejectionCounts('order-2')).toEqual([]);
});
