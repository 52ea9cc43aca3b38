import { parseDurationMs } from './retry-after.ts';

/** What the rate-limit headers of a reply say about one resource; null where they say nothing. */
export interface LearnedLimit {
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetMs: number | null;
}

/** Reads `x-ratelimit-{limit,remaining,reset}-{requests,tokens}` (OpenAI's names, also used by vLLM gateways, Groq, DeepSeek proxies). */
export function learnLimits(headers: Readonly<Record<string, string>>): { readonly requests: LearnedLimit; readonly tokens: LearnedLimit } {
  const read = (resource: 'requests' | 'tokens'): LearnedLimit => ({
    limit: positive(headers[`x-ratelimit-limit-${resource}`]),
    remaining: positive(headers[`x-ratelimit-remaining-${resource}`]),
    resetMs: parseDurationMs(headers[`x-ratelimit-reset-${resource}`] ?? ''),
  });
  return { requests: read('requests'), tokens: read('tokens') };
}

function positive(text: string | undefined): number | null {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : null;
}
