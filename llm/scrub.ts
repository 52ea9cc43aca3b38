import type { CallContent, StoredAttempt } from '../schemas/ledger.ts';
import { classify } from './classify.ts';
import type { Classified } from './classify.ts';
import { secretsOf } from './secrets.ts';

/** A recorded reply that tests can replay: shape and class of the original, none of its words. */
export interface ReplyFixture {
  readonly name: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly expect: Partial<Classified>;
}

/** A reply whose class would not survive the scrubbing, or of which nothing was kept; says what to do. */
export class ScrubError extends Error {
  override readonly name = 'ScrubError';
  readonly code = 'scrub';
}

/** Fields of a reply that hold names of the protocol, never words of a row. */
const KEPT = new Set(['object', 'model', 'finish_reason', 'native_finish_reason', 'role', 'type', 'code', 'param', 'status', 'provider']);
const WORDS = new Set(['content', 'reasoning_content', 'reasoning', 'refusal', 'text', 'thinking']);
const PROTOCOL_WORDS = new Set(['true', 'false', 'null', 'json', 'think', 'thinking']);

/** What an attempt got back as a fixture. Texts keep length, punctuation and the keys the request itself names; letters become x, digits 0. */
export function scrubbedFixture(attempt: StoredAttempt, request: CallContent, rawBody: string | null): ReplyFixture {
  if (rawBody === null || attempt.class === null)
    throw new ScrubError(
      `Nothing came back for attempt ${attempt.attempt} of call ${attempt.key.slice(0, 16)} (${attempt.class ?? 'open'}), so there is nothing to record; choose another with \`memcalib calls\`.`,
    );
  const said = JSON.stringify([request.responseFormat, request.messages.filter(({ role }) => role === 'system')]);
  const known = new Set([...PROTOCOL_WORDS, ...[...said.matchAll(/\\*"([A-Za-z_][A-Za-z0-9_]*)\\*"/g)].map((match) => match[1] ?? '')]);
  const body = scrubBody(rawBody, known);
  const status = Number(/^http_(\d{3})$/.exec(attempt.finishReason ?? '')?.[1] ?? 200);
  const headers = { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' };
  const got = classify({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, 0);
  const wanted = attempt.class === 'not_json' || attempt.class === 'schema_mismatch' ? 'ok' : attempt.class;
  if (got.class !== wanted)
    throw new ScrubError(
      `Without its words the reply of call ${attempt.key.slice(0, 16)} would read as ${got.class} instead of ${wanted}; write this fixture by hand from \`memcalib calls --show ${attempt.key.slice(0, 16)}\`.`,
    );
  const { usage, finishReason } = got;
  return {
    name: `${attempt.class}, step ${attempt.step}, recorded`,
    status,
    headers,
    body,
    expect: { class: wanted, ...(finishReason !== null && { finishReason }), ...(usage !== null && { usage }) },
  };
}

/** A raw body without words: parsed and scrubbed field by field when it is JSON, else letter by letter. */
export function scrubBody(rawBody: string, known: ReadonlySet<string>): unknown {
  try {
    return scrubbed(JSON.parse(rawBody), '', known);
  } catch {
    return mask(rawBody, new Set());
  }
}

function scrubbed(value: unknown, field: string, known: ReadonlySet<string>): unknown {
  if (typeof value === 'string') {
    if (/reset|limit|remaining|after/i.test(field) && /^[\d.]{1,16}$/.test(value)) return value;
    if (KEPT.has(field)) return secretsOf([]).redactMessage(value);
    if (WORDS.has(field)) return mask(value, known);
    return /message|error|detail|reason/i.test(field) ? maskNames(value) : mask(value, new Set());
  }
  if (typeof value === 'number') return field === 'created' ? 1 : value;
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, field, known));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, scrubbed(member, key, known)]));
}

/** Letters become x and digits 0; words the request names stay where they stand as a key, and those of the protocol anywhere. */
function mask(text: string, known: ReadonlySet<string>): string {
  return text.replace(/[\p{L}\p{M}_][\p{L}\p{M}\p{N}_]*|\p{N}+/gu, (word, at: number) => {
    const isKey =
      known.has(word) && /["']/.test(text[at - 1] ?? '') && /^\\*["']\s*:/.test(text.slice(at + word.length, at + word.length + 8));
    if (isKey || (PROTOCOL_WORDS.has(word) && known.size > 0)) return word;
    return word.replace(/\p{N}/gu, '0').replace(/[^0\s]/gu, 'x');
  });
}

/** A provider's own sentence keeps its words, by which its class is told; accounts, addresses and long ids go. */
function maskNames(text: string): string {
  return secretsOf([])
    .redactMessage(text)
    .replace(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, 'x@x')
    .replace(/\b(org|proj|user|acct|req|team)[-_][A-Za-z0-9_-]{4,}/gi, '$1-x')
    .replace(/https?:\/\/\S+/g, 'https://x')
    .replace(/\b[A-Fa-f0-9-]{16,}\b/g, 'x');
}
