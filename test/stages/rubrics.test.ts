import { describe, expect, it } from 'vitest';
import { UsageRubric } from '../../schemas/record.ts';
import type { RubricsReply } from '../../schemas/replies/rubrics.ts';
import { auxiliaryDistractors } from '../../stages/auxiliary-distractors.ts';
import { hardDistractor } from '../../stages/hard-distractor.ts';
import { OVER_USE_OF_C, rubricOfIgnored, rubricOfUsed, UNDER_USE_OF_A } from '../../stages/rubric-frame.ts';
import { rubrics } from '../../stages/rubrics.ts';
import { decide, run, withPlan } from './workpieces.ts';

const piece = run(withPlan(['x1', 's1', 'x2'], ['h1'], ['s2', 'x3', 'x4']), hardDistractor, auxiliaryDistractors);
type Used = RubricsReply['used_atoms'][number];
const reuse =
  (key: string, part: Partial<Used>) =>
  (reply: RubricsReply): unknown => ({
    ...reply,
    used_atoms: reply.used_atoms.map((used) => (used.atom === key ? { ...used, ...part } : used)),
  });

const addUnasked = (reply: RubricsReply): unknown => ({
  ...reply,
  ignored_atoms: [...reply.ignored_atoms, { atom: 'x9', topic: 't', over_use: 'o', harmless: 'h' }],
});

describe('rubrics', () => {
  it('are asked for at most 16 atoms a call, source atoms first, with the tempting sentence of the hard one', () => {
    const seats = Array.from({ length: 17 }, (_, n) => `x${n + 1}`);
    const big = run(withPlan(['s1', 's2', 'h1'], seats), hardDistractor, auxiliaryDistractors);
    const requests = rubrics.requests(rubrics.input(big));
    expect(requests.map(({ partId }) => partId)).toEqual(['s1-x13', 'x14-x17']);
    for (const { payload } of requests) expect(payload['atoms']).toHaveLength(20);
    expect(requests[1]?.payload['write_for']).toEqual(['x14', 'x15', 'x16', 'x17']);
    expect(((requests[0]?.payload['atoms'] ?? []) as readonly object[]).slice(0, 3)).toMatchObject([
      { atom: 's1', without: 'general advice', tempting_sentence: null },
      { atom: 's2' },
      { atom: 'h1', level: 'A', without: null, tempting_sentence: 'Give the tomatoes what is left in glasses.' },
    ]);
  });

  it('come out complete in the published shape for every atom', () => {
    const verdict = decide(rubrics, piece);
    const output = verdict.kind === 'accepted' ? (verdict.output as { rubrics: Record<string, unknown> }).rubrics : {};
    expect(Object.keys(output).sort()).toEqual(['h1', 's1', 's2', 'x1', 'x2', 'x3', 'x4']);
    for (const rubric of Object.values(output)) expect(UsageRubric.parse(rubric).observable_checks).toHaveLength(3);
    expect(output).toMatchObject({ s1: { over_use: OVER_USE_OF_C }, x1: { under_use: UNDER_USE_OF_A } });
  });

  it.each<[string, string, (reply: RubricsReply) => unknown]>([
    ['rubric_missing', 's1', (reply) => ({ ...reply, used_atoms: reply.used_atoms.slice(1) })],
    ['rubric_missing', 'h1', (reply) => ({ ...reply, ignored_atoms: [...reply.ignored_atoms, ...reply.ignored_atoms.slice(0, 1)] })],
    ['rubric_incomplete', 's2', reuse('s2', { under_use: ' ' })],
    ['rubric_incomplete', 's2', reuse('s2', { observable_checks: { A: '', B: 'b', C: 'c' } })],
    [
      'rubric_unsupported',
      's2',
      reuse('s2', { expected_answer_behavior: 'Mentions it once.', observable_checks: { A: 'none', B: 'one remark', C: 'decides' } }),
    ],
    [
      'rubric_swapped',
      's2',
      reuse('s2', { expected_answer_behavior: 'Plans for a terrace that faces south.', observable_checks: { A: 'a', B: 'b', C: 'c' } }),
    ],
    ['rubric_value', 's2', reuse('s2', { correct_use: 'Gives 3 litres a day.' })],
    [
      'criterion_reveals_level',
      's2',
      reuse('s2', { observable_checks: { A: 'no pots of 12 litres of soil', B: 'one remark, the ideal level', C: 'all' } }),
    ],
  ])('ask for one repair turn on %s at %s, then end the example under that code', (rule, path, change) => {
    expect(decide(rubrics, piece, { change })).toMatchObject({ kind: 'repair', notes: [{ partId: 's1-x4', rule, path }] });
    expect(decide(rubrics, piece, { change, repaired: true })).toMatchObject({ kind: 'rejected', reason: rule, partId: 's1-x4' });
  });

  it('flag, but do not refuse, a rubric for an atom that was not asked for', () => {
    expect(decide(rubrics, piece, { change: addUnasked })).toMatchObject({
      kind: 'accepted',
      flags: [{ rule: 'rubric_unasked', detail: 'x9' }],
    });
  });
});

describe('the frame of rubrics', () => {
  it.each([
    ['with a harmless look-alike', 'advice on shade.', '; advice on shade does not count'],
    ['without one', 'none', ''],
    ['left blank', '', ''],
  ])('builds the rubric of an ignored atom %s', (_, harmless, exemption) => {
    const rubric = rubricOfIgnored({ topic: 'the blue kite. ', over_use: 'mention of\n a kite.', harmless });
    expect(rubric.expected_answer_behavior).toBe('The answer leaves no trace of the blue kite.');
    expect(rubric.over_use).toBe('Any trace, for example mention of a kite.');
    expect(rubric.observable_checks[0]).toBe(`A: nothing in the text goes back to the blue kite${exemption}`);
  });

  it.each(['A: no kite', 'Level A - no kite', 'a) no kite.', 'no kite'])('sets one letter before the criterion %j', (A) => {
    const used = rubricOfUsed(
      {
        atom: 's1',
        expected_answer_behavior: 'e',
        correct_use: 'c',
        under_use: 'u',
        over_use: 'o',
        forbidden_memory_role: 'f',
        validity_scope: 'v',
        observable_checks: { A, B: 'b', C: 'c' },
      },
      'B',
    );
    expect(used.observable_checks).toEqual(['A: no kite', 'B: b', 'C: c']);
    expect(used.over_use).toBe('o');
  });
});
