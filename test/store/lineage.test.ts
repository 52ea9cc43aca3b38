import { expect, test } from 'vitest';
import { rowContent } from '../../store/row-content.ts';
import type { OutcomeRow, StepOutputRow } from '../../store/port.ts';
import { candidate, pages } from './made.ts';
import { tempStore } from './samples.ts';
import { putOrder } from '../support/put-order.ts';

const RUN = { orderId: 'order-1', pipelineHash: 'p1' } as const;

function verdict(n: number, more: Partial<StepOutputRow> = {}): StepOutputRow {
  return {
    candidateId: candidate(n).id,
    step: 'derive',
    stepVersion: 'v1',
    inputHash: 'in',
    verdict: 'accepted',
    reason: null,
    detail: null,
    output: `{"query":"q${n}"}`,
    flags: [],
    callKeys: [],
    runId: 'run-1',
    at: 7,
    ...more,
  };
}

function outcome(n: number, more: Partial<OutcomeRow> = {}): OutcomeRow {
  const { row, id } = candidate(n);
  return {
    candidateId: id,
    pipelineHash: 'p1',
    rowHash: rowContent(row).rowHash,
    status: 'accepted',
    step: 'review-calibration',
    reason: '',
    detail: '',
    query: 'q',
    example: `{"n":${n}}`,
    callKeys: [],
    trail: [],
    runId: 'run-1',
    at: 10,
    ...more,
  };
}

test('a row has a place in every order that holds it, and its verdicts and outcomes stand oldest first', async () => {
  const { store } = await tempStore();
  const rows = Array.from({ length: 4 }, (_, n) => candidate(n));
  const [one] = rows;
  if (one === undefined) throw new Error('no candidate');
  const edited = { ...one, row: { ...one.row, sourceLicense: 'CC-BY-4.0' } };
  await putOrder(store, { id: 'order-1', createdAt: 1, facts: '{}' }, pages(rows), pages<never>([]));
  await putOrder(store, { id: 'order-2', createdAt: 2, facts: '{}' }, pages([edited, ...rows.slice(2)]), pages<never>([]));
  const { lineage } = store;
  expect((await lineage.places(one.id)).map((place) => [place.orderId, place.candidate.row.sourceLicense])).toEqual([
    ['order-1', one.row.sourceLicense],
    ['order-2', 'CC-BY-4.0'],
  ]);
  expect((await lineage.places(candidate(1).row.sourceId)).map((place) => place.orderId)).toEqual(['order-1']);
  expect(await lineage.places('nothing')).toEqual([]);
  expect(await lineage.idsWithPrefix('order-1', one.id.slice(0, 15), 5)).toContain(one.id);
  expect((await lineage.nearestIds('order-1', `${one.id}0`, 1))[0]).toBe(one.id);

  await store.putStepOutputs([verdict(0), verdict(0, { stepVersion: 'v2', at: 9 }), verdict(1)]);
  expect((await lineage.stepOutputs(one.id)).map(({ stepVersion }) => stepVersion)).toEqual(['v1', 'v2']);
  const trail = [{ candidateId: one.id, step: 'derive', stepVersion: 'v2', inputHash: 'in' } as const];
  const mark = await lineage.outcomeMark('p1');
  await store.putOutcomes([outcome(0, { trail }), outcome(0, { pipelineHash: 'p2', example: '{"n":"other"}' }), outcome(1)]);
  expect(await lineage.outcomeMark('p1')).not.toBe(mark);
  const traced = await lineage.outcomes(one.id);
  expect(traced.map(({ pipelineHash }) => pipelineHash)).toEqual(['p1', 'p2']);
  const keyOf = (await lineage.stepOutputs(one.id)).find(({ stepVersion }) => stepVersion === 'v2')?.key;
  expect(traced[0]?.trail).toEqual([keyOf]);
  expect(await lineage.trailOutputs(RUN, 'derive', [one.id, candidate(1).id])).toEqual([{ candidateId: one.id, output: '{"query":"q0"}' }]);
});

test('finished examples of a run are read by id, and what was measured of them without their texts', async () => {
  const { store } = await tempStore();
  await putOrder(store, { id: 'order-1', createdAt: 1, facts: '{}' }, pages([0, 1, 2].map((n) => candidate(n))), pages<never>([]));
  const example = (question: string): string =>
    JSON.stringify({
      record: { question, memory_blocks: [{ memory_text: 'three words here' }], memories: [{ u_star: 'A' }, { u_star: 'C' }] },
      densityLevel: 1,
    });
  const [a, b, c] = [0, 1, 2].map((n) => candidate(n).id);
  await store.putOutcomes([outcome(1, { example: example('why so?') }), outcome(0, { example: '{"no":"record"}' })]);
  await store.putOutcomes([
    outcome(1, { example: example('and why now?') }),
    outcome(2, { pipelineHash: 'p2', example: example('else?') }),
  ]);
  const digests = await store.lineage.digests(RUN);
  expect(digests.map(({ candidateId }) => candidateId)).toEqual([a, b]);
  expect(digests[0]?.digest).toBeNull();
  expect(digests[1]?.digest).toMatchObject({ queryWords: 3, memoryWords: 3, atoms: 2, blocks: 1, levels: { A: 1, B: 0, C: 1 } });
  const [other] = await store.lineage.digests({ ...RUN, pipelineHash: 'p2' });
  expect(other).toMatchObject({ candidateId: c, digest: { queryWords: 1 } });
  expect(other?.digest?.hash).not.toBe(digests[1]?.digest?.hash);
  const texts = await store.lineage.examples(RUN, [b ?? '', c ?? '']);
  expect(texts).toEqual([{ candidateId: b, example: example('and why now?') }]);
});

test('an example names the releases that hold it', async () => {
  const { store } = await tempStore();
  const release = { id: 'r1', runId: 'run-1', manifest: '{}', folder: '/out', at: 3 };
  await store.putRelease(release, [
    { exampleId: 'a', split: 'train' },
    { exampleId: 'b', split: 'test' },
  ]);
  await store.putRelease({ ...release, id: 'r2' }, [{ exampleId: 'a', split: 'test' }]);
  expect(await store.lineage.releasesOf('a')).toEqual([
    { releaseId: 'r1', split: 'train' },
    { releaseId: 'r2', split: 'test' },
  ]);
  expect(await store.lineage.releasesOf('c')).toEqual([]);
});
