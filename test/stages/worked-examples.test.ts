import { describe, expect, test } from 'vitest';
import type { StepDefinition, StepVerdict } from '../../stages/step.ts';
import type { Workpiece } from '../../schemas/workpiece.ts';
import { atomize } from '../../stages/atomize.ts';
import { danglingOpener } from '../../stages/checks/pronouns.ts';
import { firstPerson } from '../../stages/checks/first-person.ts';
import { overlappingPairs } from '../../stages/checks/containment.ts';
import { leakFlags, leaksRubric } from '../../stages/checks/leak.ts';
import { relativeDates } from '../../stages/checks/relative-dates.ts';
import { derive } from '../../stages/derive.ts';
import { screen } from '../../stages/screen.ts';
import { atomizeReplyOf, candidateOf, deriveReplyOf, noExamples, screenReplyOf, workedExamples } from './worked-examples.ts';

function run(step: StepDefinition, workpiece: Workpiece, reply: unknown): StepVerdict<unknown> {
  const input = step.input(workpiece);
  expect(step.requests(input)).toHaveLength(1);
  return step.accept(input, new Map([['main', { reply: step.replySchema.parse(reply), repaired: false }]]));
}

describe.skipIf(noExamples !== null)('the six worked examples of the shared folder', () => {
  test.each(workedExamples().map((example) => [example.record.id, example] as const))(
    '%s passes screen, derive and atomize at once',
    (_id, example) => {
      let workpiece: Workpiece = { seed: 'worked', candidate: candidateOf(example) };
      const flags: string[] = [];
      for (const [step, reply] of [
        [screen, screenReplyOf(example)],
        [derive, deriveReplyOf(example)],
        [atomize, atomizeReplyOf(example)],
      ] as const) {
        const verdict = run(step, workpiece, reply);
        expect(verdict).toMatchObject({ kind: 'accepted' });
        if (verdict.kind !== 'accepted') return;
        flags.push(...verdict.flags.map((flag) => flag.rule));
        workpiece = step.apply(workpiece, verdict.output);
      }
      expect(flags.filter((rule) => rule !== 'request_term_is_name')).toEqual([]);
    },
  );

  test('no atom of theirs, distractors included, trips a check of voice, and none holds another among B and C', () => {
    for (const { record } of workedExamples()) {
      for (const atom of record.memories) {
        expect([firstPerson(atom.text), relativeDates(atom.text), danglingOpener(atom.text), atom.text]).toEqual([[], [], null, atom.text]);
      }
      const used = record.memories.filter((atom) => atom.u_star !== 'A');
      expect(overlappingPairs(used.map((atom) => atom.text))).toEqual([]);
      for (const block of record.memory_blocks) {
        const texts = block.atom_ids.map((id) => record.memories.find((atom) => atom.atom_id === id)?.text ?? '');
        expect(overlappingPairs(texts)).toEqual([]);
      }
    }
  });

  test('their finished queries leak neither an atom nor a rubric', () => {
    for (const example of workedExamples()) {
      const used = example.record.memories.filter((atom) => atom.u_star !== 'A');
      const terms = example.steps.derive.request_terms;
      const rules = used.flatMap((atom) =>
        leakFlags(example.record.question, terms, { key: atom.atom_id, text: atom.text }).map((flag) => flag.rule),
      );
      expect(rules.filter((rule) => rule !== 'request_term_is_name')).toEqual([]);
      expect(used.some((atom) => leaksRubric(example.record.question, Object.values(atom.usage_rubric).flat().join(' ')))).toBe(false);
    }
  });
});

test.runIf(noExamples !== null)(`the worked examples are not here: ${noExamples ?? ''}`, () => {
  expect(workedExamples()).toEqual([]);
});
