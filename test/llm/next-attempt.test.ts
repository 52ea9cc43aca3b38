import { describe, expect, it } from 'vitest';
import { FAILURES } from '../../llm/failures.ts';
import { nextAttempt } from '../../llm/next-attempt.ts';
import type { CallClass, StoredAttempt } from '../../schemas/ledger.ts';

const T0 = Date.UTC(2026, 0, 15);

function attempts(classes: readonly (CallClass | null)[], over: Partial<StoredAttempt> = {}): readonly StoredAttempt[] {
  return classes.map((callClass, index) => ({
    key: 'k',
    attempt: index + 1,
    series: 0,
    runId: 'r',
    step: 'screen',
    partId: 'main',
    candidateId: 'c',
    role: 'builder',
    turn: 'first',
    provider: 'p',
    model: 'm',
    maxTokens: 400,
    intendedAt: T0 + index,
    completedAt: callClass === null ? null : T0 + index,
    class: callClass,
    finishReason: null,
    usage: null,
    costMicroUsd: null,
    latencyMs: callClass === null ? null : 5,
    returnedModel: null,
    fingerprint: null,
    requestId: null,
    message: null,
    ...over,
  }));
}

const counted = (
  [
    'truncated',
    'refused',
    'content_filtered',
    'empty',
    'garbled',
    'network',
    'timeout',
    'server_error',
    'config_error',
    'not_a_completion',
  ] as const
).map((callClass) => [callClass, FAILURES[callClass].maxAttempts] as const);

describe('a restart goes on where the policy stood', () => {
  it('sends the first attempt of an unknown key', () => {
    expect(nextAttempt([], 0, 400)).toEqual({ kind: 'send', attempt: 1, maxTokens: 400, notBefore: 0 });
  });

  it.each(counted)('%s is tried %i times in a series, then stays failed at 0 calls', (callClass, most) => {
    for (let tried = 1; tried < most; tried++) {
      expect(nextAttempt(attempts(Array.from({ length: tried }, () => callClass)), 0, 400)).toMatchObject({
        kind: 'send',
        attempt: tried + 1,
      });
    }
    const exhausted = attempts(Array.from({ length: most }, () => callClass));
    expect(nextAttempt(exhausted, 0, 400)).toMatchObject({ kind: 'failed', class: callClass });
    expect(nextAttempt(exhausted, 1, 400)).toMatchObject({ kind: 'send', attempt: most + 1 });
  });

  it.each(['rate_limited', 'quota_exhausted', 'no_credit', null] as const)('%s never counts as an attempt', (callClass) => {
    const many = attempts(Array.from({ length: 40 }, () => callClass));
    expect(nextAttempt(many, 0, 400)).toMatchObject({ kind: 'send', attempt: 41, maxTokens: 400 });
    expect(nextAttempt([...many, ...attempts(['truncated'], { attempt: 41 })], 0, 400)).toMatchObject({ kind: 'send', maxTokens: 800 });
  });

  it('does not count what was never sent, nor a refused key', () => {
    expect(
      nextAttempt(
        attempts(
          Array.from({ length: 9 }, () => 'network'),
          { latencyMs: null },
        ),
        0,
        400,
      ),
    ).toMatchObject({ kind: 'send', attempt: 10 });
    expect(nextAttempt(attempts(['config_error'], { finishReason: 'http_401' }), 0, 400)).toMatchObject({ kind: 'send', attempt: 2 });
    expect(nextAttempt(attempts(['config_error'], { finishReason: 'http_400' }), 0, 400)).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['doubles the cap after a cut reply', 400, 400, 800],
    ['keeps a cap that the config has raised since', 400, 1000, 1000],
    ['never asks at a cap that was cut before, even in a new series', 800, 400, 1600],
    ['stops raising at sixteen times the cap asked, yet never repeats one', 6400, 400, 6401],
  ])('%s', (_, cutAt, asked, next) => {
    expect(nextAttempt(attempts(['truncated'], { maxTokens: cutAt, series: 0 }), 1, asked)).toMatchObject({
      kind: 'send',
      maxTokens: next,
    });
  });

  it('serves the first durable success of any series for ever', () => {
    const [one, two, three] = attempts(['truncated', 'ok', 'ok']);
    if (one === undefined || two === undefined || three === undefined) throw new Error('three attempts');
    expect(nextAttempt([one, two, three], 3, 400)).toEqual({ kind: 'serve', attempt: 2 });
    expect(nextAttempt([one, { ...two, completedAt: T0 + 99 }, three], 0, 400)).toEqual({ kind: 'serve', attempt: 3 });
  });

  it('offers the invalid reply of the present series for repair, and asks again in a new one', () => {
    expect(nextAttempt(attempts(['network', 'not_json']), 0, 400)).toEqual({ kind: 'invalid', attempt: 2 });
    expect(nextAttempt(attempts(['schema_mismatch']), 1, 400)).toMatchObject({ kind: 'send', attempt: 2 });
  });

  it('waits longer after each failure, never past the policy, and not at all long after', () => {
    const waits = [1, 2, 3, 4, 5].map((tried) => {
      const next = nextAttempt(attempts(Array.from({ length: tried }, () => 'server_error')), 0, 400);
      return next.kind === 'send' ? next.notBefore - (T0 + tried - 1) : Number.NaN;
    });
    for (const [index, waitMs] of waits.entries()) {
      const fullMs = Math.min(60_000, 1000 * 2 ** index);
      expect(waitMs).toBeGreaterThanOrEqual(fullMs / 2);
      expect(waitMs).toBeLessThanOrEqual(fullMs);
    }
  });
});
