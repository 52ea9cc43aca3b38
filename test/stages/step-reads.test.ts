import { expect, test } from 'vitest';
import { canonicalJson } from '../../schemas/hash.ts';
import { STEPS } from '../../schemas/steps.ts';
import type { StepId } from '../../schemas/steps.ts';
import type { Workpiece } from '../../schemas/workpiece.ts';
import { STEP_DEFINITIONS } from '../../stages/catalog.ts';
import { STEP_READS } from '../../stages/step-reads.ts';
import { auxiliaryDistractors } from '../../stages/auxiliary-distractors.ts';
import { hardDistractor } from '../../stages/hard-distractor.ts';
import { firstParts } from '../../stages/plan/bounds.ts';
import { naturalize } from '../../stages/naturalize.ts';
import { planOf } from '../../stages/block-plan.ts';
import { rubrics } from '../../stages/rubrics.ts';
import { afterAtomize, run } from './workpieces.ts';

const drawn = run(afterAtomize, hardDistractor, auxiliaryDistractors, rubrics, naturalize);
const finished: Workpiece = { ...drawn, plan: planOf(drawn) };

const other = (text: string): string => `${text} Otherwise.`;

/** The same workpiece with another output of one step: every text it hands on is another. */
const CHANGED: Readonly<Partial<Record<StepId, (workpiece: Workpiece) => Partial<Workpiece>>>> = {
  derive: ({ derive }) => (derive === undefined ? {} : { derive: { ...derive, query: other(derive.query) } }),
  atomize: ({ atomize }) =>
    atomize === undefined ? {} : { atomize: { ...atomize, atoms: atomize.atoms.map((atom) => ({ ...atom, text: other(atom.text) })) } },
  'hard-distractor': ({ hardDistractor: hard }) => (hard === undefined ? {} : { hardDistractor: { ...hard, text: other(hard.text) } }),
  'auxiliary-distractors': ({ auxiliary }) =>
    auxiliary === undefined
      ? {}
      : { auxiliary: { texts: Object.fromEntries(Object.entries(auxiliary.texts).map(([slot, text]) => [slot, other(text)])) } },
  rubrics: ({ rubrics: of }) =>
    of === undefined
      ? {}
      : {
          rubrics: {
            rubrics: Object.fromEntries(
              Object.entries(of.rubrics).map(([key, rubric]) => [key, { ...rubric, correct_use: other(rubric.correct_use) }]),
            ),
          },
        },
  naturalize: ({ naturalize: of }) =>
    of === undefined
      ? {}
      : { naturalize: { memoryTexts: Object.fromEntries(Object.entries(of.memoryTexts).map(([block, text]) => [block, other(text)])) } },
};

test('every output that hands on text is changed in turn', () => {
  expect(Object.keys(CHANGED).sort()).toEqual([...new Set(Object.values(STEP_READS).flat())].sort());
});

test.each(STEPS)('the table says what the input of %s is made of', (step) => {
  const before = canonicalJson(STEP_DEFINITIONS[step].input(finished));
  const reads = Object.entries(CHANGED).flatMap(([read, change]) => {
    const after = canonicalJson(STEP_DEFINITIONS[step].input({ ...finished, ...change(finished) }));
    return after === before ? [] : [read];
  });
  expect(reads.sort()).toEqual([...STEP_READS[step]].sort());
});

test.each(STEPS)('the parts %s asks first are told by the block plan alone', (step) => {
  const { seed, candidate, atomize } = finished;
  for (const suffix of ['', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
    const id = `${candidate.id.slice(0, candidate.id.length - suffix.length)}${suffix}`;
    const plain: Workpiece = { ...afterAtomize, candidate: { ...candidate, id } };
    const whole = run(plain, hardDistractor, auxiliaryDistractors, rubrics, naturalize);
    const { domain } = candidate;
    const told = firstParts(step, { seed, candidate: { id, domain }, ...(atomize !== undefined && { atomize }) });
    expect(told).toBe(STEP_DEFINITIONS[step].requests(STEP_DEFINITIONS[step].input(whole)).length);
  }
});
