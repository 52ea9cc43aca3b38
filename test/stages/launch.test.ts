import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LaunchState } from '../../stages/launch.ts';
import { launchable, nextChunkSize, plannedYield, wilsonLowerBound } from '../../stages/launch.ts';

const start: LaunchState = {
  need: 10,
  verdicts: 0,
  accepted: 0,
  inFlight: 0,
  oldestOpen: 0,
  next: 0,
  supply: 1000,
  window: 4,
  chunkSize: 100,
};

test.each([
  [0, 0, 0],
  [0, 50, 0],
  [50, 50, 0.9287],
  [10, 50, 0.1124],
  [45, 50, 0.7864],
])('the Wilson lower bound of %i in %i is %d', (successes, trials, bound) => {
  expect(wilsonLowerBound(successes, trials)).toBeCloseTo(bound, 4);
});

test('the prior holds for fifty verdicts, then the bound', () => {
  expect(plannedYield(49, 49)).toBe(0.2);
  expect(plannedYield(45, 50)).toBeCloseTo(0.7864, 4);
});

test.each([
  ['need ÷ prior', {}, 50, 'need', 50],
  ['a full chunk first', { need: 100 }, 400, 'window', 100],
  ['what is in flight counts', { inFlight: 30 }, 20, 'need', 20],
  ['nothing needed, nothing launched', { need: 0 }, 0, 'need', 0],
  ['accepted ahead of need', { need: -3 }, 0, 'need', 0],
  ['supply ends', { need: 500, supply: 30 }, 30, 'supply', 30],
  ['an old open candidate closes the window', { need: 500, next: 400, oldestOpen: 0, inFlight: 1 }, 0, 'window', 0],
  ['a nearly closed window waits for a full chunk', { need: 500, next: 390, oldestOpen: 0, inFlight: 1 }, 10, 'window', 0],
  ['a yield of nothing is held by the window only', { verdicts: 60, accepted: 0, next: 60, oldestOpen: 60 }, 400, 'window', 100],
  ['a good yield shrinks the last chunk', { need: 2, verdicts: 100, accepted: 90, next: 100, oldestOpen: 100 }, 3, 'need', 3],
] as const)('launch: %s', (_name, change, count, limitedBy, chunk) => {
  const state = { ...start, ...change };
  expect(launchable(state)).toEqual({ count, limitedBy });
  expect(nextChunkSize(state)).toBe(chunk);
});

test('a launch never passes window, supply or need, and a build that still needs, has supply and nothing in flight always launches', () => {
  const state = fc
    .record({
      need: fc.integer({ min: 0, max: 200 }),
      verdicts: fc.integer({ min: 0, max: 300 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      inFlight: fc.integer({ min: 0, max: 300 }),
      supply: fc.integer({ min: 0, max: 900 }),
      window: fc.integer({ min: 1, max: 8 }),
      chunkSize: fc.integer({ min: 1, max: 100 }),
    })
    .map(({ share, ...rest }): LaunchState => {
      const next = Math.min(rest.supply, rest.verdicts + rest.inFlight);
      return { ...rest, accepted: Math.floor(share * rest.verdicts), next, oldestOpen: Math.max(0, next - rest.inFlight) };
    });
  fc.assert(
    fc.property(state, (value) => {
      const chunk = nextChunkSize(value);
      expect(chunk).toBeLessThanOrEqual(Math.min(value.chunkSize, value.supply - value.next));
      const behind = chunk === 0 || value.next + chunk <= value.oldestOpen + value.window * value.chunkSize;
      const rate = plannedYield(value.accepted, value.verdicts);
      const needed = chunk === 0 || rate === 0 || value.inFlight + chunk <= Math.ceil(value.need / rate);
      const goesOn = value.need === 0 || value.supply === value.next || value.inFlight > 0 || chunk > 0;
      expect({ behind, needed, goesOn }).toEqual({ behind: true, needed: true, goesOn: true });
    }),
  );
});
