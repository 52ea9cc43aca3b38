import { describe, expect, test } from 'vitest';
import { STEPS } from '../../../schemas/steps.ts';
import type { StepId } from '../../../schemas/steps.ts';
import { expectationOf, needsOf } from '../../../stages/plan/profile.ts';
import type { Known } from '../../../stages/plan/profile.ts';
import { changedLines } from '../../../stages/plan/changed-lines.ts';

/** An example accepted before, whose version changed at some steps. */
function accepted(...changed: readonly StepId[]): Known {
  const first = STEPS.find((step) => changed.includes(step)) ?? null;
  const settled = STEPS.slice(0, first === null ? STEPS.length : STEPS.indexOf(first)).map((step) => ({ step, need: 'reused' as const }));
  return { settled, first, had: new Set(STEPS), rejectedAt: null, changed: new Set(changed) };
}

const mayRun = (known: Known): readonly StepId[] => [...needsOf(known)].filter(([, need]) => need === 'mayRun').map(([step]) => step);

describe('after an edit of one step of an accepted example', () => {
  test.each<[StepId, readonly StepId[]]>([
    ['screen', []],
    ['derive', ['atomize', 'hard-distractor', 'auxiliary-distractors', 'rubrics', 'naturalize', 'review-fidelity', 'review-calibration']],
    ['atomize', ['hard-distractor', 'auxiliary-distractors', 'rubrics', 'naturalize', 'review-fidelity', 'review-calibration']],
    ['hard-distractor', ['auxiliary-distractors', 'rubrics', 'naturalize', 'review-calibration']],
    ['auxiliary-distractors', ['rubrics', 'naturalize', 'review-calibration']],
    ['rubrics', ['review-calibration']],
    ['naturalize', ['review-calibration']],
    ['review-fidelity', []],
    ['review-calibration', []],
  ])('%s runs and only what reads it may follow', (edited, followers) => {
    const known = accepted(edited);
    expect(needsOf(known).get(edited)).toBe('runs');
    expect(mayRun(known)).toEqual(followers);
  });
});

test('a later step whose own version changed may run although it reads nothing that moved', () => {
  expect(mayRun(accepted('screen', 'review-fidelity'))).toEqual(['review-fidelity']);
});

test('a candidate never seen may run every step, one whose end stands none', () => {
  const fresh: Known = { settled: [], first: 'screen', had: new Set(), rejectedAt: null, changed: new Set() };
  expect(mayRun(fresh)).toEqual(STEPS.slice(1));
  expect([...needsOf(accepted()).values()].every((need) => need === 'reused')).toBe(true);
});

test('a rejection that reads nothing that moved ends the candidate again', () => {
  const known: Known = {
    ...accepted('hard-distractor'),
    had: new Set(STEPS.slice(0, STEPS.indexOf('review-fidelity'))),
    rejectedAt: 'review-fidelity',
  };
  const needs = needsOf(known);
  expect([needs.get('review-fidelity'), needs.get('review-calibration')]).toEqual(['reused', 'unreached']);
  expect(expectationOf(known, needs, { change: () => 1, accept: () => 1 }).accepted).toBe(0);
});

test('what is expected falls with the share of outputs that an edit really changes', () => {
  const known = accepted('hard-distractor');
  const needs = needsOf(known);
  const runs = (change: number): number =>
    expectationOf(known, needs, { change: (step) => (step === 'hard-distractor' ? change : 1), accept: () => 1 }).runs.get('rubrics') ?? -1;
  expect([runs(0), runs(0.25), runs(1)]).toEqual([0, 0.25, 1]);
});

test.each([
  ['a\nb\nc', 'a\nb\nc', 0],
  ['a\nb\nc', 'a\nB\nc', 1],
  ['a\nb\nc', 'a\nc', 1],
  ['a\nc', 'a\nb\nb\nc', 2],
  ['a\nb', 'x\ny\nz', 3],
])('%j and %j differ in their changed lines', (before, now, lines) => expect(changedLines(before, now)).toBe(lines));
