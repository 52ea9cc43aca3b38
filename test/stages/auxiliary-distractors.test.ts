import { describe, expect, it } from 'vitest';
import type { AuxiliaryDistractorsReply } from '../../schemas/replies/auxiliary-distractors.ts';
import { auxiliaryDistractors, slotParts } from '../../stages/auxiliary-distractors.ts';
import { hardDistractor } from '../../stages/hard-distractor.ts';
import type { AuxiliaryBlock } from '../../stages/scenes.ts';
import { decide, honestReply, run, withPlan } from './workpieces.ts';

const piece = run(withPlan(['x1', 's1', 'x2'], ['h1'], ['s2', 'x3', 'x4']), hardDistractor);
const slots = (from: number, count: number): AuxiliaryBlock => ({
  block: `b${from}`,
  seated: [],
  scene: { area: 'a', kind: 'k', person: 'p' },
  slots: Array.from({ length: count }, (_, n) => ({ slot: `x${from + n}`, words: 8, holds: 'neither' })),
});
const rewrite =
  (slot: string, part: Partial<AuxiliaryDistractorsReply['atoms'][number]>) =>
  (reply: AuxiliaryDistractorsReply): unknown => ({ atoms: reply.atoms.map((atom) => (atom.slot === slot ? { ...atom, ...part } : atom)) });

describe('parts of auxiliary distractors', () => {
  it.each([
    ['nothing to fill', [], []],
    ['one slot', [1], ['x1-x1']],
    ['blocks that fit together', [5, 6, 5], ['x1-x16']],
    ['a cut at a block border', [10, 7, 3], ['x1-x10', 'x11-x20']],
    ['a block above sixteen', [2, 19, 1], ['x1-x2', 'x3-x18', 'x19-x22']],
  ])('%s', (_, counts, parts) => {
    let next = 1;
    const blocks = counts.map((count) => {
      next += count;
      return slots(next - count, count);
    });
    expect(slotParts(blocks).map(({ partId }) => partId)).toEqual(parts);
    expect(slotParts(blocks).flatMap((part) => part.blocks.flatMap((block) => block.slots))).toEqual(
      blocks.flatMap((block) => block.slots),
    );
  });
});

describe('auxiliary distractors', () => {
  it('show query, all atoms with levels, and who sits where', () => {
    const requests = auxiliaryDistractors.requests(auxiliaryDistractors.input(piece));
    expect(requests.map(({ partId }) => partId)).toEqual(['x1-x4']);
    expect(requests[0]?.payload).toMatchObject({
      task: 'auxiliary-distractors',
      atoms: [
        { atom: 's1', level: 'C' },
        { atom: 's2', level: 'B' },
        { atom: 'h1', level: 'A' },
      ],
      blocks: [
        { block: 'b1', seated: ['s1'], slots: [{ slot: 'x1' }, { slot: 'x2' }] },
        { block: 'b3', seated: ['s2'] },
      ],
    });
  });

  it('make no call when the plan leaves no slot free', () => {
    const full = run(withPlan(['s1', 's2'], ['h1']), hardDistractor);
    expect(auxiliaryDistractors.requests(auxiliaryDistractors.input(full))).toEqual([]);
    expect(decide(auxiliaryDistractors, full)).toEqual({ kind: 'accepted', output: { texts: {} }, flags: [] });
  });

  it('are accepted under their slots', () => {
    const verdict = decide(auxiliaryDistractors, piece);
    expect(verdict.kind === 'accepted' && Object.keys((verdict.output as { texts: object }).texts)).toEqual(['x1', 'x2', 'x3', 'x4']);
  });

  it.each<[string, string, (reply: AuxiliaryDistractorsReply) => unknown]>([
    ['slot_count', 'x2', (reply) => ({ atoms: reply.atoms.filter(({ slot }) => slot !== 'x2') })],
    ['slot_count', 'x1', (reply) => ({ atoms: [...reply.atoms, reply.atoms[0]] })],
    ['slot_unknown', 'x9', (reply) => ({ atoms: [...reply.atoms, { slot: 'x9', text: 'The user rows.', gives_away: 'none' }] })],
    ['gives_away', 'x3', rewrite('x3', { gives_away: 's2' })],
    ['first_person', 'x1', rewrite('x1', { text: 'On Sundays we go to the harbour with my kite.' })],
    ['not_one_sentence', 'x1', rewrite('x1', { text: 'The user likes a kite. It is a red kite.' })],
    ['repeats_atom', 'x4', rewrite('x4', { text: 'The pots of the user hold twelve litres of soil.' })],
    ['left_out_fact', 'x4', rewrite('x4', { text: 'The user has seven grey rabbits at the barn.' })],
  ])('ask for one repair turn on %s naming slot %s, then end the example under that code', (rule, path, change) => {
    expect(decide(auxiliaryDistractors, piece, { change })).toMatchObject({ kind: 'repair', notes: [{ partId: 'x1-x4', rule, path }] });
    expect(decide(auxiliaryDistractors, piece, { change, repaired: true })).toMatchObject({
      kind: 'rejected',
      reason: rule,
      partId: 'x1-x4',
    });
  });

  it('ask once for another length, then only flag it', () => {
    const text = `The user likes ${'really '.repeat(40)}long walks.`;
    const change = rewrite('x1', { text });
    expect(decide(auxiliaryDistractors, piece, { change })).toMatchObject({ kind: 'repair', notes: [{ rule: 'word_target' }] });
    expect(decide(auxiliaryDistractors, piece, { change, repaired: true })).toMatchObject({
      kind: 'accepted',
      flags: expect.arrayContaining([expect.objectContaining({ rule: 'word_target', where: 'x1' })]),
    });
  });

  it('ask the later part for another fact when two parts say the same, or the earlier one when the later has had its turn', () => {
    const many = run(withPlan(['s1', 's2', 'h1'], keys(1, 10), keys(11, 10)), hardDistractor);
    const input = auxiliaryDistractors.input(many);
    const text = 'The user paints wooden ducks for the village fair.';
    const verdicts = [false, true].map((laterRepaired) => {
      const answers = new Map(
        auxiliaryDistractors.requests(input).map(({ partId, payload }) => {
          const honest = honest16(payload);
          const later = partId === 'x11-x20';
          return [partId, { reply: rewrite(later ? 'x15' : 'x5', { text })(honest), repaired: later && laterRepaired }];
        }),
      );
      return auxiliaryDistractors.accept(input, answers);
    });
    expect(verdicts).toMatchObject([
      { kind: 'repair', notes: [{ partId: 'x11-x20', rule: 'duplicate_atom', path: 'x15' }] },
      { kind: 'repair', notes: [{ partId: 'x1-x10', rule: 'duplicate_atom', path: 'x5' }] },
    ]);
  });
});

const keys = (from: number, count: number): readonly string[] => Array.from({ length: count }, (_, n) => `x${from + n}`);
const honest16 = (payload: unknown): AuxiliaryDistractorsReply => honestReply(payload) as AuxiliaryDistractorsReply;
