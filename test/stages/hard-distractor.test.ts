import { describe, expect, it } from 'vitest';
import { HARD_FAMILIES } from '../../schemas/levels.ts';
import type { HardDistractorReply } from '../../schemas/replies/hard-distractor.ts';
import { familyOrder, hardDistractor } from '../../stages/hard-distractor.ts';
import type { PartReply, PartRequest } from '../../stages/step.ts';
import { afterAtomize, decide, honestReply } from './workpieces.ts';

type Offered = NonNullable<HardDistractorReply['atom']>;
const cannot = { atom: null, cannot: 'no axis is open' };
const order = familyOrder(afterAtomize.seed, afterAtomize.candidate.id);
const spoil =
  (part: Partial<Offered>) =>
  (reply: HardDistractorReply): unknown => ({ ...reply, atom: { ...reply.atom, ...part } });

const sayNothing = (): unknown => ({ atom: null, cannot: null });

describe('hard distractor', () => {
  it('asks one family first, named as the part, without left-out reasons', () => {
    const requests = hardDistractor.requests(hardDistractor.input(afterAtomize));
    expect(requests.map(({ partId }) => partId)).toEqual([order[0]]);
    expect(requests[0]?.payload).toMatchObject({
      task: 'hard-distractor',
      family: order[0],
      left_out: ['The user has seven grey rabbits.'],
    });
  });

  it('starts the fixed order at a place drawn per example, every family about equally often', () => {
    const orders = Array.from({ length: 1000 }, (_, n) => familyOrder('seed', `e${n}`));
    for (const family of HARD_FAMILIES) expect(orders.filter(([first]) => first === family).length).toBeGreaterThan(150);
    for (const [first, second] of orders.slice(0, 20))
      expect(HARD_FAMILIES.indexOf(second ?? HARD_FAMILIES[0])).toBe((HARD_FAMILIES.indexOf(first ?? HARD_FAMILIES[0]) + 1) % 5);
  });

  it('accepts an honest atom, keeps its anchor and draws the block plan into the workpiece', () => {
    const verdict = decide(hardDistractor, afterAtomize);
    expect(verdict).toMatchObject({ kind: 'accepted', output: { family: order[0], anchor: { where: 'query', quote: 'my tomatoes' } } });
    const applied = hardDistractor.apply(afterAtomize, verdict.kind === 'accepted' ? verdict.output : null);
    expect(applied.plan?.blocks.flatMap(({ seats }) => seats)).toContain('h1');
  });

  it.each<[string, Partial<Offered>]>([
    ['anchor_not_found', { anchor: { where: 'query', quote: 'my potatoes' } }],
    ['anchor_not_found', { anchor: { where: 's1', quote: 'my tomatoes' } }],
    ['anchor_unknown', { anchor: { where: 's9', quote: 'my tomatoes' } }],
    ['gives_away', { gives_away: 's1' }],
    ['legitimate_use', { legitimate_use: 'bounded' }],
    ['no_tempting_sentence', { tempting_sentence: ' ' }],
    ['first_person', { text: 'I empty my glass into the fern.' }],
    ['not_one_sentence', { text: 'The user rows. The user sings.' }],
    ['repeats_atom', { text: 'The terrace on which the user grows them faces the south.' }],
    ['left_out_fact', { text: 'The user feeds seven grey rabbits at home.' }],
  ])('asks for a repair turn on %s, then moves on to the next family', (rule, part) => {
    expect(decide(hardDistractor, afterAtomize, { change: spoil(part) })).toMatchObject({
      kind: 'repair',
      notes: [{ partId: order[0], rule }],
    });
    expect(decide(hardDistractor, afterAtomize, { change: spoil(part), repaired: true })).toMatchObject({
      kind: 'more',
      parts: [{ partId: order[1] }],
    });
  });

  it('asks for a reply when there is neither an atom nor a reason', () => {
    expect(decide(hardDistractor, afterAtomize, { change: sayNothing })).toMatchObject({ kind: 'repair', notes: [{ rule: 'no_reply' }] });
  });

  it.each([0, 1, 2, 3, 4, 5])('takes the family after %i refusals, and gives up after the fifth', (refusals) => {
    const input = hardDistractor.input(afterAtomize);
    const answered = new Map<string, PartReply<unknown>>();
    let parts: readonly PartRequest[] = hardDistractor.requests(input);
    let verdict = hardDistractor.accept(input, new Map());
    while (parts.length > 0) {
      for (const { partId, payload } of parts)
        answered.set(partId, { reply: answered.size < refusals ? cannot : honestReply(payload), repaired: false });
      verdict = hardDistractor.accept(input, answered);
      parts = verdict.kind === 'more' ? verdict.parts : [];
    }
    expect([...answered.keys()]).toEqual(order.slice(0, refusals + 1));
    expect(verdict).toMatchObject(
      refusals === 5 ? { kind: 'rejected', reason: 'no_honest_distractor' } : { kind: 'accepted', output: { family: order[refusals] } },
    );
  });
});
