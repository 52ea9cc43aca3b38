import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lane, LaneLimits, Slot, SlotResult } from '../../llm/lane.ts';
import { createLimiter } from '../../llm/limiter.ts';
import type { CallClass } from '../../schemas/ledger.ts';
import { FakeClock } from './fake-clock.ts';

const ended = (callClass: CallClass, over: Partial<SlotResult> = {}): SlotResult => ({
  class: callClass,
  tokens: 10,
  retryAfterMs: null,
  headers: {},
  ...over,
});

/** Runs calls that take `latencyMs` each through a lane and notes when each was sent. */
async function drive(
  clock: FakeClock,
  lane: Lane,
  calls: readonly { readonly role: string; readonly tokens?: number; readonly latencyMs?: number; readonly end?: SlotResult }[],
  untilMs: number,
): Promise<{ readonly sent: { readonly at: number; readonly role: string; readonly tokens: number }[]; most: number }> {
  const log = { sent: [] as { at: number; role: string; tokens: number }[], most: 0 };
  let inFlight = 0;
  for (const { role, tokens = 10, latencyMs = 100, end = ended('ok') } of calls) {
    void (async () => {
      const admission = await lane.admit(role).granted;
      const slot = await admission?.slot(tokens).granted;
      log.sent.push({ at: clock.now(), role, tokens });
      log.most = Math.max(log.most, ++inFlight);
      clock.timer(latencyMs, () => {
        inFlight--;
        slot?.release({ ...end, tokens });
        admission?.leave();
      });
    })();
  }
  await clock.advance(untilMs);
  return log;
}

const lane = (clock: FakeClock, limits: LaneLimits): Lane => createLimiter(clock).lane('p', 'm', limits);
const many = (count: number, role = 'builder') => Array.from({ length: count }, () => ({ role }));

describe('concurrency', () => {
  it('never has more on the wire than configured, and admits at most twice as many', async () => {
    const clock = new FakeClock();
    const it8 = lane(clock, { concurrency: 8, startConcurrency: 8 });
    const running = drive(clock, it8, many(100), 0);
    await running;
    expect(it8.stats()).toMatchObject({ inFlight: 8, admitted: 16, waiting: 92 });
    await clock.advance(100 * 13);
    expect((await running).sent).toHaveLength(100);
    expect((await running).most).toBe(8);
    expect(it8.stats()).toMatchObject({ inFlight: 0, admitted: 0, waiting: 0 });
  });

  it('starts slowly where no limit is known and doubles each round trip', async () => {
    const clock = new FakeClock();
    const start = clock.now();
    const { sent } = await drive(clock, lane(clock, { concurrency: 64 }), many(124), 1000);
    const perRound = [0, 100, 200, 300, 400].map((ms) => sent.filter(({ at }) => at === start + ms).length);
    expect(perRound).toEqual([4, 8, 16, 32, 64]);
  });

  it('halves on a 429, once per round trip, never below one, and grows again', async () => {
    const clock = new FakeClock();
    const it16 = lane(clock, { concurrency: 16, startConcurrency: 16 });
    await drive(
      clock,
      it16,
      many(16).map((call) => ({ ...call, end: ended('rate_limited', { retryAfterMs: 1000 }) })),
      200,
    );
    expect(it16.stats().concurrency).toBe(8);
    for (let round = 0; round < 6; round++)
      await drive(
        clock,
        it16,
        many(1).map((call) => ({ ...call, end: ended('rate_limited', { retryAfterMs: 1 }) })),
        60_000,
      );
    expect(it16.stats().concurrency).toBe(1);
    await drive(clock, it16, many(200), 60_000);
    expect(it16.stats().concurrency).toBe(16);
  });

  it('is fair between roles: a thousand reviewers do not starve one builder', async () => {
    const clock = new FakeClock();
    const one = lane(clock, { concurrency: 1, startConcurrency: 1 });
    const calls = [...many(1000, 'reviewerA'), ...many(5, 'builder'), ...many(5, 'reviewerB')];
    const { sent } = await drive(clock, one, calls, 3000);
    const first = sent.slice(0, 20).map(({ role }) => role);
    for (const role of ['builder', 'reviewerB']) expect(first.filter((each) => each === role)).toHaveLength(5);
  });
});

describe('rates', () => {
  it('holds requests and tokens of any minute under the configured numbers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 50, max: 500 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 80 }),
        async (requestsPerMinute, tokensPerMinute, tokens) => {
          const clock = new FakeClock();
          const limited = lane(clock, { concurrency: 16, requestsPerMinute, tokensPerMinute });
          const { sent } = await drive(
            clock,
            limited,
            tokens.map((each) => ({ role: 'builder', tokens: each })),
            61_000 * 82,
          );
          expect(sent).toHaveLength(tokens.length);
          for (const { at } of sent) {
            const minute = sent.filter((other) => other.at >= at && other.at < at + 60_000);
            expect(minute.length).toBeLessThanOrEqual(requestsPerMinute);
            expect(minute.reduce((sum, other) => sum + other.tokens, 0)).toBeLessThanOrEqual(Math.max(tokensPerMinute, ...tokens));
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it('gives back tokens that were estimated too high', async () => {
    const clock = new FakeClock();
    const limited = lane(clock, { concurrency: 4, tokensPerMinute: 1000 });
    const admission = await limited.admit('builder').granted;
    const slot = (await admission?.slot(1000).granted) as Slot;
    slot.release(ended('ok', { tokens: 100 }));
    admission?.leave();
    const { sent } = await drive(clock, limited, [{ role: 'builder', tokens: 900 }], 10);
    expect(sent).toHaveLength(1);
  });

  it('stops at the requests of a day until midnight UTC', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 15, 23));
    const limited = lane(clock, { concurrency: 4, startConcurrency: 4, requestsPerDay: 3 });
    const log = await drive(clock, limited, many(5), 60_000);
    expect(log.sent).toHaveLength(3);
    expect(limited.stats().blockedUntil).toBe(Date.UTC(2026, 0, 16));
    await clock.advance(3_600_000);
    expect(log.sent).toHaveLength(5);
  });

  it('learns requests and tokens per minute from headers', async () => {
    const clock = new FakeClock();
    const free = lane(clock, { concurrency: 50, startConcurrency: 50 });
    const headers = { 'x-ratelimit-limit-requests': '20', 'x-ratelimit-remaining-requests': '19', 'x-ratelimit-reset-requests': '3s' };
    await drive(clock, free, [{ role: 'builder', end: ended('ok', { headers }) }], 200);
    const { sent } = await drive(clock, free, many(40), 50_000);
    expect(sent).toHaveLength(19);
  });

  it('waits for the reset when a header says that nothing remains', async () => {
    const clock = new FakeClock();
    const free = lane(clock, { concurrency: 5, startConcurrency: 5 });
    const headers = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' };
    await drive(clock, free, [{ role: 'builder', end: ended('ok', { headers }) }], 100);
    const log = await drive(clock, free, many(1), 359_000);
    expect(log.sent).toHaveLength(0);
    await clock.advance(1000);
    expect(log.sent).toHaveLength(1);
  });
});

describe('being told to wait', () => {
  it.each([75_000, 3_000_000])('obeys Retry-After of %i ms', async (retryAfterMs) => {
    const clock = new FakeClock();
    const told = lane(clock, { concurrency: 4, startConcurrency: 4 });
    await drive(clock, told, [{ role: 'builder', end: ended('rate_limited', { retryAfterMs }) }], 100);
    const log = await drive(clock, told, many(1), retryAfterMs - 1);
    expect(log.sent).toHaveLength(0);
    await clock.advance(1);
    expect(log.sent).toHaveLength(1);
  });

  it('backs off by itself on 429s without Retry-After', async () => {
    const clock = new FakeClock();
    const told = lane(clock, { concurrency: 4, startConcurrency: 4 });
    const waits: number[] = [];
    for (let round = 0; round < 8; round++) {
      await drive(clock, told, [{ role: 'builder', end: ended('rate_limited') }], 100);
      const waitMs = told.stats().blockedUntil - clock.now();
      waits.push(waitMs);
      await clock.advance(waitMs);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('lets few calls try an endpoint that is down, and comes back by itself', async () => {
    const clock = new FakeClock();
    const down = lane(clock, { concurrency: 32, startConcurrency: 32 });
    const failing = Array.from({ length: 500 }, () => ({ role: 'builder', end: ended('network') }));
    const log = await drive(clock, down, failing, 3_600_000);
    expect(down.stats().down).toBe(true);
    expect(log.sent.length).toBeLessThan(110);
    const healthy = createLimiter(clock).lane('p', 'm', { concurrency: 32, startConcurrency: 32 });
    await drive(
      clock,
      healthy,
      Array.from({ length: 10 }, () => ({ role: 'builder', end: ended('network') })),
      200,
    );
    await drive(clock, healthy, many(200), 20_000);
    expect(healthy.stats()).toMatchObject({ down: false, concurrency: 32 });
  });

  it('lets a wait be cancelled, and shares one lane between all who name the same model', async () => {
    const clock = new FakeClock();
    const limiter = createLimiter(clock);
    const one = limiter.lane('p', 'm', { concurrency: 1, startConcurrency: 1 });
    expect(limiter.lane('p', 'm', { concurrency: 9 })).toBe(one);
    expect(limiter.lane('p', 'other', { concurrency: 9 })).not.toBe(one);
    await one.admit('a').granted;
    await one.admit('a').granted;
    const third = one.admit('a');
    third.cancel();
    expect(await third.granted).toBeNull();
    expect(one.stats().waiting).toBe(0);
  });
});
