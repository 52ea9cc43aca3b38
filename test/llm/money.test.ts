import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecast, forecastSentence } from '../../llm/forecast.ts';
import { callKey } from '../../llm/key.ts';
import { costMicroUsd, estimateTokens, priceBook, worstMicroUsd } from '../../llm/prices.ts';
import { parseDurationMs } from '../../llm/retry-after.ts';
import { request } from './bench.ts';

const PRICE = { inputPerMillionUsd: 0.15, cachedInputPerMillionUsd: 0.075, outputPerMillionUsd: 0.6 };

describe('cost of a call', () => {
  it.each([
    [{ freshInput: 1000, cachedInput: 0, output: 500 }, 450],
    [{ freshInput: 0, cachedInput: 1000, output: 0 }, 75],
    [{ freshInput: 1, cachedInput: 0, output: 0 }, 0],
    [{ freshInput: 0, cachedInput: 0, output: 0 }, 0],
  ])('%o costs %i micro-USD', (usage, cost) => expect(costMicroUsd(PRICE, usage)).toBe(cost));

  it('is null, never zero, where price or usage is unknown', () => {
    expect(costMicroUsd(null, { freshInput: 1, cachedInput: 0, output: 1 })).toBeNull();
    expect(costMicroUsd(PRICE, null)).toBeNull();
    expect(worstMicroUsd(null, 1, 1)).toBeNull();
  });

  it('prices cached input as fresh where no cached price is told, and prefers the longer name', () => {
    const { cachedInputPerMillionUsd: _, ...plain } = PRICE;
    expect(costMicroUsd(plain, { freshInput: 0, cachedInput: 1000, output: 0 })).toBe(150);
    const priceOf = priceBook({ m: PRICE, 'p/m': plain });
    expect([priceOf('p', 'm'), priceOf('q', 'm'), priceOf('q', 'n'), priceOf('q', 'toString')]).toEqual([plain, PRICE, null, null]);
  });

  it('never exceeds its worst case', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000), (freshInput, cachedInput, output) => {
        const cost = costMicroUsd(PRICE, { freshInput, cachedInput, output }) ?? 0;
        expect(cost).toBeLessThanOrEqual(worstMicroUsd(PRICE, freshInput + cachedInput, output) ?? 0);
      }),
    );
  });

  it.each([
    ['hello world, this is plain text', 12],
    ['你好，世界', 5],
  ])('estimates no fewer tokens than %s has', (text, least) => expect(estimateTokens([text])).toBeGreaterThanOrEqual(least));
});

describe('forecast', () => {
  it('says range, time and "at least" where calls have no price', () => {
    const running = { doneUnits: 400, leftUnits: 1600, elapsedMs: 1_950_000, spentMicroUsd: 8_800_000, unknownCalls: 0 };
    const value = forecast(running);
    expect(value).toEqual({ lowMicroUsd: 40_480_000, highMicroUsd: 47_520_000, leftMs: 7_800_000, atLeast: false });
    expect(value === null ? '' : forecastSentence(value)).toBe('at this rate $40-48, 2 h 10');
    const unknown = forecast({ ...running, unknownCalls: 1 });
    expect(unknown === null ? '' : forecastSentence(unknown)).toBe('at this rate at least $40-48, 2 h 10');
    expect(forecast({ ...running, doneUnits: 0 })).toBeNull();
  });
});

describe('keys and durations', () => {
  it('depends on what decides the reply and on nothing else', () => {
    const key = callKey(request('a'));
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(callKey(request('a', { maxTokens: 9, runId: 'r2', step: 'derive', role: 'reviewerA', turn: 'repair' }))).toBe(key);
    const changed = [
      request('b'),
      request('a', { model: 'm2' }),
      request('a', { provider: 'q' }),
      request('a', { sampleIndex: 1 }),
      request('a', { sampling: { temperature: 0, seed: 1 } }),
      request('a', { responseFormat: { type: 'text' } }),
    ].map((each) => callKey(each));
    expect(new Set([key, ...changed]).size).toBe(7);
  });

  it.each([
    ['20', 20_000],
    ['1.5s', 1500],
    ['6m0s', 360_000],
    ['120ms', 120],
    ['1h2m3s', 3_723_000],
    ['2d', 172_800_000],
    ['', null],
    ['soon', null],
  ])('reads %s as %s ms', (text, ms) => expect(parseDurationMs(text)).toBe(ms));
});
