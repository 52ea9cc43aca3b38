import { describe, expect, it } from 'vitest';
import { seededUniforms } from '../../schemas/hash.ts';
import { ExampleRecord } from '../../schemas/record.ts';
import type { Workpiece } from '../../schemas/workpiece.ts';
import { auxiliaryDistractors } from '../../stages/auxiliary-distractors.ts';
import { drawShape } from '../../stages/block-plan.ts';
import { composeExample } from '../../stages/compose.ts';
import { hardDistractor } from '../../stages/hard-distractor.ts';
import { naturalize } from '../../stages/naturalize.ts';
import { rubrics } from '../../stages/rubrics.ts';
import { afterAtomize, run, withPlan } from './workpieces.ts';

const steps = [hardDistractor, auxiliaryDistractors, rubrics, naturalize];

function withId(id: string): Workpiece {
  return { ...afterAtomize, candidate: { ...afterAtomize.candidate, id } };
}

function slotsOf(id: string): number {
  return drawShape(seededUniforms(afterAtomize.seed, id, 'block-plan')).sizes.reduce((sum, size) => sum + size, 0);
}

describe('composition', () => {
  it('puts a finished workpiece into the published shape with neutral ids and the provenance of its row', () => {
    const example = composeExample(run(withPlan(['x1', 's2', 'x2'], ['h1'], ['s1', 'x3']), ...steps));
    expect(ExampleRecord.parse(example)).toEqual(example);
    expect(example.memory_blocks.map(({ parent_memory_id, atom_ids }) => [parent_memory_id, atom_ids])).toEqual([
      ['b1', ['b1.a1', 'b1.a2', 'b1.a3']],
      ['b2', ['b2.a1']],
      ['b3', ['b3.a1', 'b3.a2']],
    ]);
    expect(example.memories.map(({ u_star }) => u_star).join('')).toBe('ABAACA');
    for (const block of example.memory_blocks) {
      const texts = example.memories.filter(({ parent_memory_id }) => parent_memory_id === block.parent_memory_id).map(({ text }) => text);
      expect(block.atomic_concat_text).toBe(texts.join(' '));
    }
    expect(example).toMatchObject({
      id: '00000000000000aa',
      question: 'How often should I water my tomatoes?',
      source_dataset: 'demo/rows',
      source_id: 'demo:train:1',
      source_license: 'CC0-1.0',
      group_key: 'demo:1',
    });
    expect(example).not.toHaveProperty('split');
  });

  it('gives the same bytes for the same workpiece', () => {
    const [first, second] = [1, 2].map(() => JSON.stringify(composeExample(run(afterAtomize, ...steps))));
    expect(first).toBe(second);
  });

  it('runs an example of 63 atoms through all four steps', () => {
    const ids = Array.from({ length: 200_000 }, (_, n) => n.toString(16).padStart(16, '0'));
    const example = composeExample(run(withId(ids.find((id) => slotsOf(id) === 63) ?? ''), ...steps));
    expect(example.memories).toHaveLength(63);
    expect(ExampleRecord.parse(example)).toEqual(example);
  });

  it('names the candidate when a step is still missing', () => {
    expect(() => composeExample(run(afterAtomize, hardDistractor))).toThrow(/00000000000000aa/);
  });
});
