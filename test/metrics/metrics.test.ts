import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agreement } from '../../metrics/agreement.ts';
import { channelCounts, channelLabel, channelPercentages, CHANNELS } from '../../metrics/channels.ts';
import { holm, mcnemar, pairedBootstrap, signFlipTest } from '../../metrics/paired-tests.ts';
import { wilson } from '../../metrics/proportion.ts';
import { scoreResponse } from '../../metrics/response-scores.ts';
import { displayNumber } from '../../metrics/rounding.ts';
import { meanAndStd, summarizeScores } from '../../metrics/summary.ts';
import { LEVELS } from '../../schemas/levels.ts';

const level = fc.constantFrom(...LEVELS);
const response = fc.array(fc.record({ ideal: level, actual: level }), { minLength: 1, maxLength: 12 });
const responses = fc.array(response, { minLength: 1, maxLength: 20 });
const SLACK = 1e-9;

function between(low: number, value: number, high: number): void {
  expect(value).toBeGreaterThanOrEqual(low - SLACK);
  expect(value).toBeLessThanOrEqual(high + SLACK);
}

describe('scores', () => {
  test('keep the identities between them', () => {
    fc.assert(
      fc.property(responses, (list) => {
        for (const scores of list.map(scoreResponse)) expect(scores.SCS).toBeCloseTo((1 - scores.sMOS) * (1 - scores.sMUS), 12);
        const summary = summarizeScores(list.map(scoreResponse))?.scores;
        const of = (name: 'SCS' | 'Exact' | 'sMOS' | 'sMUS' | 'AOR' | 'AUR'): number => (summary?.[name].mean ?? Number.NaN) / 100;
        between(1 - of('sMOS') - of('sMUS'), of('SCS'), Math.min(1 - of('sMOS'), 1 - of('sMUS')));
        between(of('Exact'), of('SCS'), (1 + of('Exact')) / 2);
        between(of('AOR') / 2, of('sMOS'), of('AOR'));
        between(of('AUR') / 2, of('sMUS'), of('AUR'));
        between(1 - of('AOR') - of('AUR'), of('Exact'), 1 - Math.max(of('AOR'), of('AUR')));
      }),
    );
  });

  test('channels of an ideal level sum to 100, levels without atoms are null', () => {
    fc.assert(
      fc.property(responses, (list) => {
        const shares = channelPercentages(channelCounts(list));
        for (const ideal of LEVELS) {
          const row = CHANNELS.filter((channel) => channel.startsWith(ideal)).map((channel) => shares[channel]);
          const occurs = list.flat().some((atom) => atom.ideal === ideal);
          const sum = row.includes(null) ? null : row.reduce((a: number, b) => a + (b ?? 0), 0);
          expect(sum === null ? row : Math.abs(sum - 100) < SLACK).toEqual(occurs ? true : [null, null, null]);
        }
      }),
    );
    expect(CHANNELS.map(channelLabel)).toEqual(['A+', 'AB-', 'AC-', 'BA-', 'B+', 'BC-', 'CA-', 'CB-', 'C+']);
  });

  test('missing is never zero', () => {
    expect(summarizeScores([])).toBeNull();
    expect(summarizeScores([null])?.scores.SCS).toEqual({ mean: null, worst: 0, best: 100 });
    expect(meanAndStd([])).toEqual({ mean: null, std: null });
    expect(meanAndStd([3])).toEqual({ mean: 3, std: null });
    expect(meanAndStd([10, 11, 12], 0).std).toBeCloseTo(Math.sqrt(2 / 3), 12);
    expect(agreement([[0]])).toMatchObject({ kappa: null, reason: 'no ratings' });
  });
});

describe('tests and intervals', () => {
  test('a drawn sign-flip p agrees with the exact one and is the same for the same seed', () => {
    const a = Array.from({ length: 22 }, (_, at) => (at % 3 === 0 ? 0.2 : 0.9));
    const b = a.map((value, at) => value + (at % 2 === 0 ? -0.3 : 0.22));
    const drawn = signFlipTest(a, b, { seed: 's', draws: 1500 });
    expect(drawn.exact).toBe(false);
    expect(signFlipTest(a, b, { seed: 's', draws: 1500 })).toEqual(drawn);
    expect(signFlipTest(a, b, { seed: 't', draws: 1500 }).p).not.toBe(drawn.p);
    const exact = signFlipTest(a.slice(0, 14), b.slice(0, 14), { seed: 's' });
    expect(Math.abs(drawn.p - exact.p)).toBeLessThan(0.15);
  });

  test('equal systems have p 1 and an interval at 0', () => {
    const same = [0.5, 0.25, 1];
    expect(signFlipTest(same, same, { seed: 's' })).toEqual({ meanDifference: 0, p: 1, exact: true });
    expect(pairedBootstrap(same, same, { seed: 's', draws: 50 })).toEqual({ meanDifference: 0, low: 0, high: 0 });
    expect(mcnemar(0, 0)).toEqual({ exactP: 1, midP: 1 });
    expect(mcnemar(4, 4).exactP).toBe(1);
    expect(mcnemar(1000, 1100).exactP).toBeCloseTo(0.0307, 3);
  });

  test('a bootstrap interval holds the mean difference and is as wide as theory says', () => {
    const a = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? 1 : 0));
    const { meanDifference, low, high } = pairedBootstrap(
      a,
      a.map(() => 0),
      { seed: 's', draws: 600 },
    );
    expect(meanDifference).toBe(0.5);
    expect(high - low).toBeGreaterThan(0.17);
    expect(high - low).toBeLessThan(0.22);
  });

  test('Holm never lowers a p value and keeps their order', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }), (pValues) => {
        const adjusted = holm(pValues);
        pValues.forEach((p, at) => expect(adjusted[at]).toBeGreaterThanOrEqual(p));
        const inOrder = pValues.map((p, at) => ({ p, is: adjusted[at] ?? 0 })).sort((x, y) => x.p - y.p || x.is - y.is);
        expect(inOrder.map(({ is }) => is)).toEqual(inOrder.map(({ is }) => is).sort((x, y) => x - y));
      }),
    );
  });

  test('a Wilson interval holds its share and stays within 0 and 1', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (successes, failures) => {
        const found = wilson(successes, successes + failures);
        if (found === null) return;
        expect(found.low).toBeGreaterThanOrEqual(0);
        expect(found.high).toBeLessThanOrEqual(1);
        expect(found.low).toBeLessThanOrEqual(found.share);
        expect(found.high).toBeGreaterThanOrEqual(found.share);
      }),
    );
  });
});

test.each([
  [40.625, 2, '40.63'],
  [1.005, 2, '1.01'],
  [-0.125, 2, '-0.13'],
  [-0.001, 2, '0.00'],
  [99.995, 2, '100.00'],
  [1e-7, 2, '0.00'],
  [5e-7, 6, '0.000001'],
  [1.5e21, 1, '1500000000000000000000.0'],
  [2.5, 0, '3'],
  [null, 2, '–'],
  [Number.NaN, 2, '–'],
])('displayNumber(%s, %i) is %s', (value, digits, text) => {
  expect(displayNumber(value, digits)).toBe(text);
});
