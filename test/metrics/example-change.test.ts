import { expect, test } from 'vitest';
import { compareExamples } from '../../metrics/example-change.ts';
import type { ExampleRecord } from '../../schemas/record.ts';
import { sampleRecords } from '../support/sample-export.ts';

const [SAMPLE] = sampleRecords();
if (SAMPLE === undefined) throw new Error('no sample record');
const BASE: ExampleRecord = SAMPLE;

function edited(edit: (record: ExampleRecord) => void): ExampleRecord {
  const copy = structuredClone(BASE);
  edit(copy);
  return copy;
}

const at = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index];
  if (item === undefined) throw new Error(`nothing at ${index}`);
  return item;
};

test.each<[string, (record: ExampleRecord) => void, readonly (readonly [string, string, string])[]]>([
  ['nothing', () => undefined, []],
  ['split and pipeline hash', (record) => Object.assign(record, { split: 'test', pipeline_hash: 'f'.repeat(64) }), []],
  ['the query', (record) => void (record.question += ' Please.'), [['derive', 'query', 'question']]],
  ['the licence', (record) => void (record.source_license = 'CC-BY-4.0'), [['source', 'provenance', 'source_license']]],
  ['a memory text', (record) => void (at(record.memory_blocks, 0).memory_text += ' Indeed.'), [['naturalize', 'block', 'b1']]],
  ['a rubric', (record) => void (at(record.memories, 0).usage_rubric.correct_use = 'Another use.'), [['rubrics', 'rubric', 'b1.a1']]],
  [
    'seats alone',
    (record) => {
      const [a, b] = [at(record.memories, 0), at(record.memories, 1)];
      [a.atom_id, b.atom_id] = [b.atom_id, a.atom_id];
      record.memories.reverse();
      record.memory_blocks.reverse();
    },
    [],
  ],
])('a change of %s is told by part and place', (_, edit, told) => {
  const change = compareExamples(BASE, edited(edit));
  expect(change.changes.map(({ part, what, where }) => [part, what, where])).toEqual(told);
  expect(change.size).toBe(change.changes.reduce((sum, { wordsAdded, wordsRemoved }) => sum + wordsAdded + wordsRemoved, 0));
});

test('a level that changes is a transition, an atom that comes or goes has one side only', () => {
  const used = BASE.memories.findIndex(({ u_star: level }) => level !== 'A');
  const other = edited((record) => {
    const atom = at(record.memories, used);
    atom.u_star = atom.u_star === 'B' ? 'C' : 'B';
  });
  const change = compareExamples(BASE, other);
  expect(change.changes).toMatchObject([{ part: 'atomize', what: 'level' }]);
  expect(change.levels).toHaveLength(BASE.memories.length);
  expect(change.levels.filter(([before, after]) => before !== after)).toHaveLength(1);

  const fewer = edited((record) => void record.memories.pop());
  expect(compareExamples(BASE, fewer).levels).toContainEqual([BASE.memories.at(-1)?.u_star, null]);
  expect(compareExamples(fewer, BASE).levels).toContainEqual([null, BASE.memories.at(-1)?.u_star]);
});
