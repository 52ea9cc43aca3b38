import { expect, test } from 'vitest';
import type { Workpiece } from '../../schemas/workpiece.ts';
import { WorkpieceError, seatedAtoms } from '../../stages/atoms.ts';

const base = {
  seed: 'seed',
  candidate: { id: '00000000000000aa' },
  plan: {
    level: 1,
    redraws: 0,
    blocks: [
      { id: 'b1', seats: ['x1', 's2'] },
      { id: 'b2', seats: ['h1', 's1', 'x2'] },
    ],
  },
  atomize: {
    atoms: [
      { key: 's1', text: 'One.', level: 'C', action: 'apply' },
      { key: 's2', text: 'Two.', level: 'B', action: 'correct' },
    ],
    dropped: [],
  },
} as unknown as Workpiece;
const hardDistractor = { text: 'Hard.' } as unknown as NonNullable<Workpiece['hardDistractor']>;

test('atoms come in block order under neutral ids, and only those written so far', () => {
  expect(seatedAtoms(base).map((atom) => [atom.key, atom.atomId, atom.text])).toEqual([
    ['s2', 'b1.a2', 'Two.'],
    ['s1', 'b2.a2', 'One.'],
  ]);
  const whole = seatedAtoms({ ...base, hardDistractor, auxiliary: { texts: { x1: 'Aux one.', x2: 'Aux two.' } } });
  expect(whole.map((atom) => [atom.atomId, atom.blockId, atom.level, atom.action, atom.rubric])).toEqual([
    ['b1.a1', 'b1', 'A', 'ignore', null],
    ['b1.a2', 'b1', 'B', 'correct', null],
    ['b2.a1', 'b2', 'A', 'ignore', null],
    ['b2.a2', 'b2', 'C', 'apply', null],
    ['b2.a3', 'b2', 'A', 'ignore', null],
  ]);
});

test('outputs that contradict the plan are an error, not a shorter list', () => {
  const cases: readonly Workpiece[] = [
    { ...base, auxiliary: { texts: { x1: 'Aux one.' } } },
    { ...base, atomize: { atoms: [], dropped: [] } },
    { ...base, rubrics: { rubrics: {} } },
  ];
  for (const broken of cases) expect(() => seatedAtoms(broken)).toThrow(WorkpieceError);
  const { plan: _plan, ...unplanned } = base;
  expect(() => seatedAtoms(unplanned)).toThrow(WorkpieceError);
});
