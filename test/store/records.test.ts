import { expect, test } from 'vitest';
import { rowContent } from '../../store/row-content.ts';
import type { OutcomeRow, RunRow, StepOutputRow } from '../../store/port.ts';
import { candidate, pages } from './made.ts';
import { reopened, tempStore } from './samples.ts';
import { putOrder } from '../support/put-order.ts';

const RUN: RunRow = {
  id: 'run-1',
  label: 'main',
  kind: 'build',
  pipelineHash: 'p1',
  orderId: 'order-1',
  seed: 's',
  config: '{}',
  startedAt: 1_790_000_000_000,
};

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
    flags: [{ rule: 'r', where: 's1', detail: 'd' }],
    callKeys: ['k1', 'k2'],
    runId: 'run-1',
    at: 7,
    ...more,
  };
}

function outcome(n: number, more: Partial<OutcomeRow> = {}): OutcomeRow {
  const one = candidate(n);
  return {
    candidateId: one.id,
    pipelineHash: 'p1',
    rowHash: rowContent(one.row).rowHash,
    status: 'accepted',
    step: 'review-calibration',
    reason: '',
    detail: '',
    query: `query ${n}`,
    example: `{"n":${n}}`,
    callKeys: ['k'],
    trail: [],
    runId: 'run-1',
    at: 10 + n,
    ...more,
  };
}

test('runs, states, gates, releases and facts come back, the latest one holding, also after a reopening', async () => {
  const { store, file } = await tempStore();
  await store.startRun(RUN);
  await store.startRun({ ...RUN, id: 'run-2', label: 'other' });
  await store.startRun({ ...RUN, seed: 'changed' });
  await store.putRunState({ runId: 'run-1', state: 'running', reason: '', until: null, at: 1 });
  await store.putRunState({ runId: 'run-1', state: 'paused', reason: 'quota', until: 1_790_000_000_001, at: 1 });
  await store.setGate({ scope: '*', closed: true, reason: 'budget', detail: 'cap', until: null, at: 2 });
  await store.setGate({ scope: '*', closed: false, reason: 'person', detail: '', until: null, at: 2 });
  await store.putRelease({ id: 'rel', runId: 'run-1', manifest: '{}', folder: 'exports/1', at: 3 });
  await store.putFact('strata', '{"a":1}');
  await store.putFact('strata', '{"a":2}');
  for (const open of [() => Promise.resolve(store), () => store.close().then(() => reopened(file))]) {
    const now = await open();
    expect(await now.run('run-1')).toEqual(RUN);
    expect(await now.run('run-9')).toBeNull();
    expect((await now.latestRun())?.id).toBe('run-2');
    expect((await now.latestRun('main'))?.id).toBe('run-1');
    expect((await now.runs()).map(({ id }) => id)).toEqual(['run-1', 'run-2']);
    expect(await now.runState('run-1')).toEqual({ runId: 'run-1', state: 'paused', reason: 'quota', until: 1_790_000_000_001, at: 1 });
    expect(await now.runState('run-2')).toBeNull();
    expect(await now.gate('*')).toEqual({ scope: '*', closed: false, reason: 'person', detail: '', until: null, at: 2 });
    expect(await now.gate('main')).toBeNull();
    expect(await now.releases()).toEqual([{ id: 'rel', runId: 'run-1', manifest: '{}', folder: 'exports/1', at: 3 }]);
    expect(await now.fact('strata')).toBe('{"a":2}');
    expect(await now.fact('prices')).toBeNull();
  }
});

test('a verdict is found by candidate, step, version and input; the first stored wins, also between writers that race', async () => {
  const { store, file } = await tempStore();
  const rejected = verdict(1, { verdict: 'rejected', reason: 'leak', detail: 'd', output: null, flags: [], callKeys: [] });
  await Promise.all([store.putStepOutputs([verdict(0), rejected]), store.putStepOutputs([verdict(0, { output: '"late"' })])]);
  await store.putStepOutputs([verdict(0, { output: '"later"' }), verdict(0, { stepVersion: 'v2', output: '"v2"' })]);
  for (const open of [() => Promise.resolve(store), () => store.close().then(() => reopened(file))]) {
    const now = await open();
    expect(await now.stepOutputs([rejected, verdict(5), verdict(0)])).toEqual([rejected, verdict(0)]);
    expect((await now.stepOutputs([verdict(0, { stepVersion: 'v2' })]))[0]?.output).toBe('"v2"');
    expect(await now.stepOutputs([verdict(0, { inputHash: 'other' }), verdict(0, { step: 'screen' })])).toEqual([]);
  }
});

test('outcomes stand at their places, pending ones and waivers included; the latest holds, another row hash or pipeline does not count', async () => {
  const { store, file } = await tempStore();
  const rows = Array.from({ length: 6 }, (_, n) => candidate(n));
  await putOrder(store, { id: 'order-1', createdAt: 1, facts: '{}' }, pages(rows), pages<never>([]));
  const failed = { status: 'failed', step: 'derive', reason: 'timeout', query: null, example: null } as const;
  await store.putOutcomes([outcome(0), outcome(1, failed), outcome(2, { rowHash: 'stale' }), outcome(3, { pipelineHash: 'p2' })]);
  await store.putOutcomes([outcome(1), outcome(4, failed)]);
  // A row that was edited and put back: the outcome of the edit is the latest, and not the one that holds.
  await store.putOutcomes([outcome(0, { rowHash: 'edited', example: '{}' })]);
  await store.waive([candidate(4).id], 'p1', 'run-1');
  for (const open of [() => Promise.resolve(store), () => store.close().then(() => reopened(file))]) {
    const now = await open();
    const page = await now.outcomesAt('order-1', 'p1', 'general', 0, 6);
    expect(page.map((place) => [place.position, place.outcome?.status ?? 'pending', place.waived])).toEqual([
      [0, 'accepted', false],
      [1, 'accepted', false],
      [2, 'pending', false],
      [3, 'pending', false],
      [4, 'failed', true],
      [5, 'pending', false],
    ]);
    const { example: _example, callKeys: _callKeys, trail: _trail, ...narrow } = outcome(0);
    expect(page[0]).toEqual({
      position: 0,
      candidateId: candidate(0).id,
      source: 'source-0',
      stratum: 'general-0',
      rowHash: rowContent(candidate(0).row).rowHash,
      outcome: narrow,
      waived: false,
    });
    expect(await now.outcomesAt('order-1', 'p1', 'general', 2, 3)).toHaveLength(1);
    const ids = [4, 5, 2, 0].map((n) => candidate(n).id);
    const full = [outcome(4, failed), outcome(0)].map(({ trail: _left, ...rest }) => rest);
    expect(await now.outcomes({ orderId: 'order-1', pipelineHash: 'p1' }, ids)).toEqual(full);
    expect(await now.stepCounts('p1', 'order-1')).toEqual([
      { source: 'source-0', step: 'derive', status: 'failed', reason: 'timeout', count: 1 },
      { source: 'source-0', step: 'review-calibration', status: 'accepted', reason: '', count: 1 },
      { source: 'source-1', step: 'review-calibration', status: 'accepted', reason: '', count: 1 },
    ]);
  }
});

test('every read and write works on an empty store', async () => {
  const { store } = await tempStore();
  await store.putOutcomes([]);
  await store.putStepOutputs([]);
  await store.waive([], 'p1', 'run-1');
  await store.ledger.writeIntents([]);
  await store.ledger.writeCompletions([]);
  expect(await store.stepOutputs([])).toEqual([]);
  expect(await store.outcomes({ orderId: 'none', pipelineHash: 'p1' }, [])).toEqual([]);
  expect(await store.outcomesAt('none', 'p1', 'health', 0, 10)).toEqual([]);
  expect(await store.ledger.replies([])).toEqual([]);
  expect(await store.ledger.requests([])).toEqual(new Map());
  expect(await store.latestOrder()).toBeNull();
  expect(await store.latestRun()).toBeNull();
});
