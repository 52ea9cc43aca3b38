/** A wait is believed up to a year: more is a slip of the other side, and no date. */
export const LONGEST_WAIT_MS = 366 * 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads durations as rate-limit headers write them (`1s`, `6m0s`, `120ms`, `1h2m3.5s`, or bare seconds); null when it is none. */
export function parseDurationMs(text: string): number | null {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return bounded(Number(trimmed) * 1000);
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(trimmed)) return null;
  let totalMs = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) totalMs += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  return bounded(totalMs);
}

function bounded(waitMs: number): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(0, Math.ceil(waitMs)));
}

/**
 * How long the provider asks to wait: `retry-after-ms`, then `retry-after` (seconds, or a date read against the reply's own
 * `date` header so that skewed clocks do not matter), then a sentence such as "try again in 1m30s"; null when it says nothing.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, message: string, nowMs: number): number | null {
  const exact = headers['retry-after-ms'];
  if (exact !== undefined && /^\d+(\.\d+)?$/.test(exact)) return bounded(Number(exact));
  const header = headers['retry-after'];
  if (header !== undefined) {
    const durationMs = parseDurationMs(header);
    if (durationMs !== null) return durationMs;
    const dateMs = Date.parse(header);
    const servedMs = Date.parse(headers['date'] ?? '');
    if (!Number.isNaN(dateMs)) return bounded(dateMs - (Number.isNaN(servedMs) ? nowMs : servedMs));
  }
  const said = /(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?\s?(?:ms|s|m|h|d)?(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))*)/i.exec(message)?.[1];
  return said === undefined ? null : parseDurationMs(said.replaceAll(' ', ''));
}
