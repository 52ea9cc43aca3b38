import { array, assert, integer, nat, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { SlidingWindow } from '../../llm/sliding-window.ts';

const SPAN_MS = 60_000;
const LONGEST_WAY_MS = 2000;

it('holds a minute as the server sees it, however long calls are on their way, up to two seconds, and however long they take', () => {
  const calls = array(record({ wayMs: nat(LONGEST_WAY_MS), workMs: nat(90_000), gapMs: nat(3000) }), {
    minLength: 30,
    maxLength: 120,
  });
  assert(
    property(calls, integer({ min: 1, max: 20 }), (drawn, limit) => {
      const window = new SlidingWindow(SPAN_MS);
      const arrivals: number[] = [];
      let open: { readonly at: number; readonly settle: (now: number) => void }[] = [];
      let now = 0;
      const passTo = (time: number): void => {
        for (const call of open.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at)) call.settle(call.at);
        open = open.filter(({ at }) => at > time);
        now = time;
      };
      for (const { wayMs, workMs, gapMs } of drawn) {
        passTo(now + gapMs);
        for (let waitMs = window.waitMs(now, 1, limit); waitMs > 0; waitMs = window.waitMs(now, 1, limit)) passTo(now + waitMs);
        const booking = window.book(now, 1, now + LONGEST_WAY_MS);
        arrivals.push(now + wayMs);
        open.push({ at: now + wayMs + workMs, settle: (at) => window.correct(booking, 1, at) });
      }
      arrivals.sort((a, b) => a - b);
      for (const [index, at] of arrivals.entries())
        expect(arrivals.slice(index).filter((other) => other < at + SPAN_MS).length).toBeLessThanOrEqual(limit);
    }),
    { numRuns: 200 },
  );
});
