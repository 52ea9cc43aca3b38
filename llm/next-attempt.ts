import { seededUniforms } from '../schemas/hash.ts';
import type { CallClass, StoredAttempt } from '../schemas/ledger.ts';
import { countsAsAttempt, FAILURES } from './failures.ts';

/** What the ledger says to do next about a key. `notBefore` is when a backoff ends (milliseconds since the epoch). */
export type NextAttempt =
  | { readonly kind: 'serve'; readonly attempt: number }
  | { readonly kind: 'invalid'; readonly attempt: number }
  | { readonly kind: 'failed'; readonly class: CallClass; readonly message: string }
  | { readonly kind: 'send'; readonly attempt: number; readonly maxTokens: number; readonly notBefore: number };

const RAISE = 2;
const MOST_RAISED = 16;

/** The stored reply that answers a key: the first durable success of any series, or the invalid reply of the present series. */
export function answeringAttempt(attempts: readonly StoredAttempt[], series: number): StoredAttempt | null {
  let first: StoredAttempt | null = null;
  for (const attempt of attempts) {
    if (attempt.class === 'ok' && (first === null || (attempt.completedAt ?? 0) < (first.completedAt ?? 0))) first = attempt;
  }
  if (first !== null) return first;
  const invalid = attempts.filter((a) => a.series === series && (a.class === 'not_json' || a.class === 'schema_mismatch'));
  return invalid.at(-1) ?? null;
}

/**
 * Decides from stored attempts alone, so that a restart goes on exactly where the policy stood:
 * successes are served for ever, exhausted classes stay failed, and a truncated reply is never asked again at the same cap.
 */
export function nextAttempt(attempts: readonly StoredAttempt[], series: number, maxTokens: number): NextAttempt {
  const answer = answeringAttempt(attempts, series);
  if (answer !== null) return { kind: answer.class === 'ok' ? 'serve' : 'invalid', attempt: answer.attempt };
  const counted = attempts.filter((attempt) => attempt.series === series && countsAsAttempt(attempt));
  const last = counted.at(-1);
  if (last !== undefined) {
    const lastClass = last.class ?? 'network';
    const ofClass = counted.filter((attempt) => attempt.class === lastClass).length;
    if (ofClass >= FAILURES[lastClass].maxAttempts)
      return { kind: 'failed', class: lastClass, message: last.message ?? FAILURES[lastClass].reads };
  }
  return {
    kind: 'send',
    attempt: attempts.reduce((most, attempt) => Math.max(most, attempt.attempt), 0) + 1,
    maxTokens: raisedCap(attempts, maxTokens),
    notBefore: last === undefined ? 0 : backoffEnd(last, counted.length),
  };
}

function raisedCap(attempts: readonly StoredAttempt[], maxTokens: number): number {
  const cut = attempts.reduce((most, attempt) => (attempt.class === 'truncated' ? Math.max(most, attempt.maxTokens) : most), 0);
  return cut < maxTokens ? maxTokens : Math.max(cut + 1, Math.min(cut * RAISE, maxTokens * MOST_RAISED));
}

function backoffEnd(last: StoredAttempt, failures: number): number {
  const backoff = FAILURES[last.class ?? 'network'].backoff;
  if (backoff === null) return 0;
  const fullMs = Math.min(backoff.maxMs, backoff.firstMs * backoff.factor ** (failures - 1));
  const jitter = 0.5 + seededUniforms('backoff', last.key, last.attempt)() / 2;
  return (last.completedAt ?? last.intendedAt) + Math.round(fullMs * jitter);
}
