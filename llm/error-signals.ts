import type { CallClass } from '../schemas/ledger.ts';

/** The parts of an error body that all providers share in one shape or another. */
export interface ProviderError {
  readonly code: string;
  readonly message: string;
  /** A time (milliseconds since the epoch) at which a limit ends, where the body says so. */
  readonly resetAt: number | null;
}

interface Signal {
  readonly class: CallClass;
  readonly statuses?: readonly number[];
  readonly code?: RegExp;
  readonly message?: RegExp;
}

/** How errors are recognised, first match wins; a signal without code and message holds for its statuses alone. */
const SIGNALS: readonly Signal[] = [
  {
    class: 'content_filtered',
    statuses: [200, 400, 403, 451],
    code: /content_?filter|content_policy|data_?inspection_?failed|responsible_?ai|moderation/i,
  },
  {
    class: 'content_filtered',
    statuses: [200, 400, 403, 451],
    message: /inappropriate content|requires moderation|input was flagged|content exists risk|content management policy/i,
  },
  { class: 'no_credit', statuses: [402] },
  { class: 'no_credit', code: /arrearage|insufficient_?balance|billing_hard_limit|billing_not_active|freetieronly/i },
  {
    class: 'no_credit',
    statuses: [200, 400, 403, 429],
    message:
      /free allocated quota exceeded|exceeded your current quota|insufficient (balance|credits?|funds)|free tier .*(exhausted|used up)/i,
  },
  { class: 'rate_limited', message: /allocated quota exceeded/i },
  { class: 'no_credit', code: /insufficient_quota/i },
  {
    class: 'quota_exhausted',
    statuses: [200, 403, 429],
    message: /per[ -]day|\bdaily\b|\b[RT]PD\b|-per-day|today'?s? (quota|limit)/i,
  },
  { class: 'rate_limited', statuses: [429] },
  { class: 'rate_limited', code: /^throttling|rate_?limit/i },
  { class: 'timeout', statuses: [408, 504, 524] },
  { class: 'server_error', statuses: [409, 425, 498, 499, ...Array.from({ length: 100 }, (_, index) => 500 + index)] },
];

/** The class of an error answer, or null when neither status nor body tells. */
export function classOfError(status: number, error: ProviderError): CallClass | null {
  const hit = SIGNALS.find(
    (signal) =>
      (signal.statuses === undefined || signal.statuses.includes(status)) &&
      (signal.code === undefined || signal.code.test(error.code)) &&
      (signal.message === undefined || signal.message.test(error.message)),
  );
  if (hit !== undefined) return hit.class;
  return status >= 300 && status < 500 ? 'config_error' : null;
}

/**
 * Finds the error in a body: OpenAI's envelope, OpenRouter's (numeric code, metadata), Ollama's plain string, old vLLM's and
 * DashScope's top-level fields, FastAPI's `detail`, a list of one; null when the body holds none.
 */
export function errorIn(body: unknown): ProviderError | null {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return null;
  const inner = outer['error'];
  if (typeof inner === 'string' && inner !== '') return { code: '', message: inner, resetAt: null };
  const holder = isObject(inner) ? inner : outer['object'] === 'error' || !('choices' in outer) ? outer : null;
  if (holder === null) return null;
  const detail = typeof holder['detail'] === 'string' ? holder['detail'] : '';
  const message = typeof holder['message'] === 'string' ? holder['message'] : detail;
  const code = [holder['code'], holder['type']].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
  if (message === '' && code === '') return null;
  return { code, message, resetAt: resetIn(holder['metadata']) };
}

/** Numeric `code` of an error body that stands for an HTTP status (OpenRouter answers 200 and says it there). */
export function statusIn(error: ProviderError): number | null {
  const status = Number.parseInt(error.code, 10);
  return status >= 400 && status < 600 ? status : null;
}

function resetIn(metadata: unknown): number | null {
  const headers = isObject(metadata) ? metadata['headers'] : undefined;
  if (!isObject(headers)) return null;
  const reset = Number(headers['X-RateLimit-Reset']);
  return Number.isFinite(reset) && reset > 1e12 ? reset : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
