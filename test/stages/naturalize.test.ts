import { describe, expect, it } from 'vitest';
import type { NaturalizeReply } from '../../schemas/replies/naturalize.ts';
import { auxiliaryDistractors } from '../../stages/auxiliary-distractors.ts';
import { hardDistractor } from '../../stages/hard-distractor.ts';
import { naturalize } from '../../stages/naturalize.ts';
import { rubrics } from '../../stages/rubrics.ts';
import { decide, run, withPlan } from './workpieces.ts';

const steps = [hardDistractor, auxiliaryDistractors, rubrics];
const piece = run(withPlan(['s1', 's2'], ['h1'], ['x1', 'x2']), ...steps);
const write =
  (block: string, text: string) =>
  (reply: NaturalizeReply, partId: string): unknown =>
    partId === block ? { memory_text: text } : reply;
const whole = 'The user grows them on a terrace that faces south, in pots that hold 12 litres of soil.';

describe('naturalization', () => {
  it('asks once per block of several atoms, with nothing but numbered texts and a cap that follows the input', () => {
    const requests = naturalize.requests(naturalize.input(piece));
    expect(requests.map(({ partId }) => partId)).toEqual(['b1', 'b3']);
    expect(requests[0]?.payload).toEqual({
      task: 'naturalize',
      atoms: [
        { n: 1, text: 'The user grows them on a terrace that faces south.' },
        { n: 2, text: 'The pots of the user hold 12 litres of soil.' },
      ],
    });
    expect(requests[0]?.maxTokens).toBe(3 * Math.ceil(JSON.stringify(requests[0]?.payload).length / 4.2) + 200);
  });

  it('keeps single-atom blocks byte for byte', () => {
    expect(decide(naturalize, piece, { change: write('b1', whole) })).toMatchObject({
      kind: 'accepted',
      output: { memoryTexts: { b1: whole, b2: piece.hardDistractor?.text } },
    });
  });

  it('accepts an example of single-atom blocks without a call', () => {
    const single = run(withPlan(['s1'], ['s2'], ['h1']), ...steps);
    expect(naturalize.requests(naturalize.input(single))).toEqual([]);
    expect(decide(naturalize, single)).toMatchObject({ kind: 'accepted', output: { memoryTexts: { b1: single.atomize?.atoms[0]?.text } } });
  });

  it.each([
    ['not_one_paragraph', `${whole}\nMore.`],
    ['not_one_paragraph', `- ${whole}`],
    ['atom_lost', 'Pots that hold 12 litres of soil belong to the user, as was said at length.'],
    ['critical_token_lost', whole.replace('12', 'many')],
    ['too_short', 'Terrace south grows pots hold 12.'],
    ['too_long', whole + ' and so on'.repeat(20)],
    ['benchmark_word', `${whole} This is a distractor.`],
  ])('asks for one repair turn on %s naming the block, then ends the example under that code', (rule, text) => {
    const change = write('b1', text);
    const first = decide(naturalize, piece, { change });
    expect(first).toMatchObject({ kind: 'repair', notes: expect.arrayContaining([expect.objectContaining({ partId: 'b1', rule })]) });
    expect(decide(naturalize, piece, { change, repaired: true })).toMatchObject({ kind: 'rejected', reason: rule, partId: 'b1' });
  });

  it('flags an atom that is covered between the two thresholds after its repair turn, and a number nobody gave', () => {
    const change = write('b1', 'Their terrace faces the sun in 2019; the 12 litres of soil in pots hold well.');
    expect(decide(naturalize, piece, { change })).toMatchObject({ kind: 'repair', notes: [{ rule: 'atom_lost' }] });
    expect(decide(naturalize, piece, { change, repaired: true })).toMatchObject({
      kind: 'accepted',
      flags: [
        { rule: 'thin_coverage', where: 'b1' },
        { rule: 'added_number', detail: '2019' },
      ],
    });
  });

  it('counts a first word as a name when the row has it capitalised in mid-sentence', () => {
    const base = withPlan(['s1', 's2'], ['h1']);
    const named = {
      ...base,
      candidate: {
        ...base.candidate,
        row: { ...base.candidate.row, question: 'For the pots I bought Growfix last week. How do I use it?' },
      },
      atomize: {
        dropped: [],
        atoms: (base.atomize?.atoms ?? []).map((atom, n) =>
          n === 0 ? { ...atom, text: 'Growfix made the leaves of the user curl.' } : atom,
        ),
      },
    };
    const ready = run(named, ...steps);
    const change = write('b1', 'The leaves of the user curl from what was made; the pots hold 12 litres of soil.');
    expect(decide(naturalize, ready, { change })).toMatchObject({ kind: 'repair', notes: [{ rule: 'critical_token_lost' }] });
  });
});
