import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { largestRemainder, totalsInRatio } from '../../datasets/largest-remainder.ts';
import { pickExactly } from '../../datasets/exact-pick.ts';

test('whole shares sum to the total and lie within one of the exact share', () => {
  fc.assert(
    fc.property(fc.nat(20_000), fc.array(fc.nat(500), { minLength: 1, maxLength: 12 }), (total, weights) => {
      const sum = weights.reduce((a, b) => a + b, 0);
      const shares = largestRemainder(total, weights);
      expect(shares.reduce((a, b) => a + b, 0)).toBe(sum === 0 ? 0 : total);
      shares.forEach((share, at) => expect(Math.abs(share - (sum === 0 ? 0 : (total * (weights[at] ?? 0)) / sum))).toBeLessThan(1));
    }),
  );
});

test.each([
  [10, [1, 1, 1], [4, 3, 3]],
  [1, [1, 3], [0, 1]],
  [5, [0, 0], [0, 0]],
  [7, [2, 0, 5], [2, 0, 5]],
])('%i in %j is %j', (total, weights, shares) => {
  expect(largestRemainder(total, weights)).toEqual(shares);
});

test('equal remainders are settled by the tie break', () => {
  expect(largestRemainder(1, [1, 1], (at) => ['b', 'a'][at] ?? '')).toEqual([0, 1]);
});

test.each([
  [15_000, { train: 13_500, test: 1_500 }],
  [96, { train: 86, test: 10 }],
  [4, { train: 4, test: 0 }],
  [0, { train: 0, test: 0 }],
])('%i examples at nine to one are %j', (total, parts) => {
  expect(totalsInRatio(total, { train: 0.9, test: 0.1 })).toEqual(parts);
});

test('pickExactly finds a choice exactly when there is one', () => {
  const seen = { found: 0, none: 0 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 2, max: 9 }), { maxLength: 8 }), fc.nat(30), (sizes, wanted) => {
      const sums = sizes.reduce((all, size) => new Set([...all, ...[...all].map((sum) => sum + size)]), new Set([0]));
      const picked = pickExactly(
        sizes.map((size) => ({ size })),
        wanted,
      );
      seen[picked === null ? 'none' : 'found'] += 1;
      expect(picked !== null).toBe(sums.has(wanted));
      expect(picked === null ? wanted : picked.reduce((sum, { size }) => sum + size, 0)).toBe(wanted);
      expect(new Set(picked).size).toBe(picked?.length ?? 0);
    }),
    { numRuns: 300 },
  );
  expect(Math.min(seen.found, seen.none)).toBeGreaterThan(20);
});
