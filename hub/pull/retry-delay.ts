import { seededUniforms } from '../../schemas/hash.ts';

/** Failed tries of one request before it is given up; waits that the hub asks for (429) do not count. */
export const MAX_TRIES = 8;

/** The same where no server was reached at all. */
export const MAX_TRIES_WITHOUT_HOST = 4;

/** Longest time one request waits for the hub's limits in all. */
export const MAX_LIMIT_WAIT_MS = 15 * 60_000;

const BASE_MS = 500;
const CAP_MS = 30_000;

/** What the header `Retry-After` asks for (seconds or a date), in milliseconds; null when it says nothing. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d+(?:\.\d+)?$/.test(header.trim())) return Math.ceil(Number(header) * 1000);
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}

/** Wait before the next try: doubles from half a second to half a minute, spread so that parallel files do not come back together. */
export function backoffMs(failedTries: number, name: string): number {
  const whole = Math.min(CAP_MS, BASE_MS * 2 ** (failedTries - 1));
  return Math.round(whole * (0.5 + seededUniforms('backoff', name, failedTries)() / 2));
}
