import { array, assert, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededUniforms } from '../../schemas/hash.ts';
import { BLOCK_COUNTS, DENSITY_SHARES, EXAMPLES_IN_TABLE, MAX_SLOTS, SIZE_RECIPES } from '../../stages/block-plan-tables.ts';
import { BlockPlanError, drawBlockPlan, drawShape, type BlockShape, type SeatedSource } from '../../stages/block-plan.ts';

const DRAWS = 15_000;
const PUBLISHED_SIZES: Readonly<Record<number, number>> = {
  1: 15_000,
  2: 11_252,
  3: 33_448,
  4: 1956,
  5: 3817,
  6: 3722,
  7: 3751,
  8: 288,
  9: 318,
  10: 312,
  11: 280,
  12: 286,
  13: 56,
  14: 51,
  15: 40,
  16: 41,
  17: 42,
  18: 45,
  19: 45,
  20: 50,
};
const shapes: readonly BlockShape[] = Array.from({ length: DRAWS }, (_, n) => drawShape(seededUniforms('plan-test', `e${n}`)));

/** Moments of how many blocks of one size an example holds, from the recipe alone: mean and mean square over all (K, level, recipe). */
function sizeMoments(size: number): { readonly mean: number; readonly meanSquare: number } {
  let mean = 0;
  let meanSquare = 0;
  for (const [blocks, count] of BLOCK_COUNTS) {
    for (const level of [1, 2, 3] as const) {
      for (const { share, focus, rest } of SIZE_RECIPES[level]) {
        const weight = (count / EXAMPLES_IN_TABLE) * DENSITY_SHARES[level] * share;
        const fixed = (size === 1 ? 1 : 0) + (size === rest ? blocks - 1 - focus.length : 0);
        const chances = focus.map(([least, most]) => (size >= least && size <= most ? 1 / (most - least + 1) : 0));
        const expected = fixed + chances.reduce((sum, p) => sum + p, 0);
        const variance = chances.reduce((sum, p) => sum + p * (1 - p), 0);
        mean += weight * expected;
        meanSquare += weight * (variance + expected ** 2);
      }
    }
  }
  return { mean, meanSquare };
}

const sources = (...passages: readonly number[]): readonly SeatedSource[] =>
  passages.map((passage, index) => ({ key: `s${index + 1}`, passage }));

describe('block plan: what is drawn before any redraw', () => {
  it('is published as a table that adds up to 15,000 examples', () => {
    expect(BLOCK_COUNTS.reduce((sum, [, count]) => sum + count, 0)).toBe(EXAMPLES_IN_TABLE);
  });

  it.each(BLOCK_COUNTS)('%i blocks come up within 4 binomial standard errors of %i per 15,000', (blocks, count) => {
    const p = count / EXAMPLES_IN_TABLE;
    const seen = shapes.filter(({ sizes }) => sizes.length === blocks).length;
    expect(Math.abs(seen - DRAWS * p)).toBeLessThanOrEqual(4 * Math.sqrt(DRAWS * p * (1 - p)));
  });

  it.each([1, 2, 3] as const)('density level %i comes up within 4 binomial standard errors of its share', (level) => {
    const p = DENSITY_SHARES[level];
    const seen = shapes.filter((shape) => shape.level === level).length;
    expect(Math.abs(seen - DRAWS * p)).toBeLessThanOrEqual(4 * Math.sqrt(DRAWS * p * (1 - p)));
  });

  it.each(Array.from({ length: 20 }, (_, n) => n + 1))(
    'blocks of %i atoms stay within 4 standard errors of what the recipe expects',
    (size) => {
      const { mean, meanSquare } = sizeMoments(size);
      const seen = shapes.reduce((sum, { sizes }) => sum + sizes.filter((other) => other === size).length, 0);
      expect(Math.abs(seen - DRAWS * mean)).toBeLessThanOrEqual(4 * Math.sqrt(DRAWS * (meanSquare - mean ** 2)));
    },
  );

  it.each(Object.entries(PUBLISHED_SIZES).filter(([, count]) => count > 1000))(
    'the recipe expects blocks of %s atoms within 5 percent of the published %s',
    (size, count) => {
      expect(Math.abs(EXAMPLES_IN_TABLE * sizeMoments(Number(size)).mean - count) / count).toBeLessThanOrEqual(0.05);
    },
  );

  it('puts a block of every size at the first and the last place alike (sizes are shuffled)', () => {
    const singles = shapes.filter(({ sizes }) => sizes.length === 3);
    for (const place of [0, 1, 2]) {
      const seen = singles.filter(({ sizes }) => sizes[place] === 1).length;
      const p = 1 / 3;
      expect(Math.abs(seen - singles.length * p)).toBeLessThanOrEqual(4 * Math.sqrt(singles.length * p * (1 - p)));
    }
  });
});

const slotsOf = (n: number): number => drawShape(seededUniforms('seed', `e${n}`, 'block-plan')).sizes.reduce((sum, size) => sum + size, 0);

describe('block plan: who sits where', () => {
  it('seats every source atom, one hard atom and numbered auxiliary slots exactly once, at 6 to 63 slots', () => {
    assert(
      property(string(), array(integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }), (id, passages) => {
        const plan = drawBlockPlan('seed', id, sources(...passages));
        const seats = plan.blocks.flatMap((block) => block.seats);
        const extra = seats.filter((key) => key.startsWith('x'));
        expect(seats.filter((key) => key.startsWith('s')).sort()).toEqual(passages.map((_, index) => `s${index + 1}`).sort());
        expect(seats.filter((key) => key === 'h1')).toHaveLength(1);
        expect(extra).toEqual(extra.map((_, index) => `x${index + 1}`));
        expect(seats.length).toBe(passages.length + 1 + extra.length);
        expect(seats.length).toBeLessThanOrEqual(MAX_SLOTS);
        expect(plan.blocks.map(({ id }) => id)).toEqual(plan.blocks.map((_, index) => `b${index + 1}`));
      }),
    );
  });

  it('is the same for the same seed and id, and another for another id', () => {
    const plans = ['a', 'a', 'b', 'c', 'd', 'e'].map((id) => JSON.stringify(drawBlockPlan('seed', id, sources(1, 1, 2))));
    expect(plans[0]).toBe(plans[1]);
    expect(new Set(plans).size).toBeGreaterThan(2);
  });

  it('keeps a passage together while its block has room', () => {
    for (let n = 0; n < 300; n += 1) {
      const { blocks } = drawBlockPlan('seed', `e${n}`, sources(1, 1, 1));
      const together = blocks.map(({ seats }) => seats.filter((key) => key.startsWith('s')).length).filter((count) => count > 0);
      const full = blocks.filter(({ seats }) => seats.some((key) => key.startsWith('s')) && seats.every((key) => key.startsWith('s')));
      expect(full.length).toBeGreaterThanOrEqual(together.length - 1);
    }
  });

  it.each([1, 2, 3, 6])(
    'gives every seat in blocks of %i the same chance of a source atom and of the hard atom as any other seat',
    (size) => {
      const surplus = { source: 0, hard: 0 };
      const variance = { source: 0, hard: 0 };
      for (let n = 0; n < 3000; n += 1) {
        const { blocks } = drawBlockPlan('seats', `e${n}`, sources(1, 2));
        const slots = blocks.reduce((sum, { seats }) => sum + seats.length, 0);
        const seats = blocks.filter((block) => block.seats.length === size).flatMap((block) => block.seats);
        for (const [kind, holders] of [
          ['source', 2],
          ['hard', 1],
        ] as const) {
          const p = seats.length / slots;
          surplus[kind] += seats.filter((key) => key.startsWith(kind === 'source' ? 's' : 'h')).length - holders * p;
          variance[kind] += holders * p * (1 - p);
        }
      }
      expect(Math.abs(surplus.source)).toBeLessThanOrEqual(4 * Math.sqrt(variance.source));
      expect(Math.abs(surplus.hard)).toBeLessThanOrEqual(4 * Math.sqrt(variance.hard));
    },
  );

  it('never sees levels: it is drawn from keys and passages alone, and places all keys alike', () => {
    const firsts = new Map<string, number>();
    const draws = 3000;
    for (let n = 0; n < draws; n += 1) {
      const order = drawBlockPlan('order', `e${n}`, sources(1, 2, 3))
        .blocks.flatMap(({ seats }) => seats)
        .filter((key) => key.startsWith('s'));
      firsts.set(order[0] ?? '', (firsts.get(order[0] ?? '') ?? 0) + 1);
    }
    for (const key of ['s1', 's2', 's3'])
      expect(Math.abs((firsts.get(key) ?? 0) - draws / 3)).toBeLessThanOrEqual(4 * Math.sqrt((draws * 2) / 9));
  });

  it('redraws while there are too few slots and counts it', () => {
    const redraws = Array.from({ length: 400 }, (_, n) => drawBlockPlan('seed', `e${n}`, sources(1, 1, 1, 2, 2, 3, 3)).redraws);
    expect(redraws.some((count) => count > 0)).toBe(true);
    expect(redraws.filter((count) => count > 0).length).toBeLessThan(200);
  });

  it('makes an example with exactly 63 atoms for some id, and refuses 63 source atoms with a sentence', () => {
    const largest = Array.from({ length: 200_000 }, (_, n) => n).find((n) => slotsOf(n) === MAX_SLOTS);
    expect(drawBlockPlan('seed', `e${largest ?? 'none'}`, sources(1, 2)).blocks.flatMap(({ seats }) => seats)).toHaveLength(MAX_SLOTS);
    expect(() => drawBlockPlan('seed', 'e', sources(...Array.from({ length: 63 }, () => 1)))).toThrow(BlockPlanError);
  });
});
