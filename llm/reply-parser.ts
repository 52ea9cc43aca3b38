import type { z } from 'zod';
import { scanJson } from './json-scan.ts';

/** A parsed reply, or the rule it breaks and where; `mendedSurrogates` counts lone halves of characters made well-formed. */
export type ParsedReply<T> =
  | { readonly ok: true; readonly value: T; readonly mendedSurrogates: number }
  | { readonly ok: false; readonly class: 'not_json' | 'schema_mismatch'; readonly rule: string; readonly path: string };

/** Longest reply that is looked at, in characters. */
export const LONGEST_REPLY_CHARS = 2_000_000;

/** An escaped half of a character, or a number that may be out of range: only then is every value of a reply looked at. */
const MAY_BREAK = /\\u[dD][89a-fA-F]|\d[eE]\+?\d{2}|\d{300}/;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const OPENING_THINK = /^<(think|thinking|reasoning|thought)>/i;
const CLOSING_THINK = /<\/(think|thinking|reasoning|thought)>/i;

/** Takes leading reasoning off a reply, also when the opening tag stood in the chat template; null when it never closes. */
export function stripReasoning(text: string): string | null {
  let rest = text.trim();
  for (;;) {
    if (rest.startsWith('{') || rest.startsWith('```')) return rest;
    const closing = CLOSING_THINK.exec(rest);
    if (closing === null) return OPENING_THINK.test(rest) ? null : rest;
    rest = rest.slice(closing.index + closing[0].length).trim();
  }
}

/**
 * Reads exactly one JSON object (one code fence and leading reasoning tolerated) and holds it against its schema.
 * Nothing is repaired: a cut array, a second object, a key given twice or prose around the object is a broken rule.
 */
export function parseReply<T>(text: string, schema: z.ZodType<T>): ParsedReply<T> {
  if (text.length > LONGEST_REPLY_CHARS) return notJson('too_long');
  const bare = stripReasoning(text);
  if (bare === null) return notJson('reasoning_never_closed');
  const body = unfence(bare);
  if (body === '') return notJson('empty');
  if (!body.startsWith('{')) return notJson(body.startsWith('[') ? 'not_an_object' : 'prose_before_json');
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return notJson(body.endsWith('}') ? 'malformed_json' : 'cut_or_prose_after_json');
  }
  const fault = scanJson(body);
  if (fault !== null) return { ok: false, class: 'not_json', ...fault };
  const mended = MAY_BREAK.test(body) || !body.isWellFormed() ? wellFormed(parsed, '') : { value: parsed, count: 0, infinite: null };
  if (mended.infinite !== null) return { ok: false, class: 'not_json', rule: 'number_out_of_range', path: mended.infinite };
  const checked = schema.safeParse(mended.value);
  if (checked.success) return { ok: true, value: checked.data, mendedSurrogates: mended.count };
  const issue = checked.error.issues[0];
  return { ok: false, class: 'schema_mismatch', rule: ruleOf(issue), path: issue?.path.map(String).join('.') ?? '' };
}

function notJson(rule: string): ParsedReply<never> {
  return { ok: false, class: 'not_json', rule, path: '' };
}

function unfence(text: string): string {
  return (/^```[A-Za-z0-9]*[ \t]*\r?\n([\s\S]*?)\r?\n?```$/.exec(text)?.[1] ?? text).trim();
}

/** Rule names never quote the reply, because they are stored and shown. */
function ruleOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'invalid';
  if (issue.code === 'unrecognized_keys') return 'unexpected_key';
  if (issue.code === 'invalid_type') return `expected_${issue.expected}`;
  if (issue.code === 'invalid_value') return `one_of:${issue.values.map(String).join('|')}`;
  if (issue.code === 'too_big') return `at_most_${issue.maximum}`;
  if (issue.code === 'too_small') return `at_least_${issue.minimum}`;
  return issue.code;
}

interface Mended {
  readonly value: unknown;
  readonly count: number;
  readonly infinite: string | null;
}

function wellFormed(value: unknown, path: string): Mended {
  if (typeof value === 'string') {
    const count = value.match(LONE_SURROGATE)?.length ?? 0;
    return { value: count === 0 ? value : value.replace(LONE_SURROGATE, '\uFFFD'), count, infinite: null };
  }
  if (typeof value === 'number') return { value, count: 0, infinite: Number.isFinite(value) ? null : path };
  if (value === null || typeof value !== 'object') return { value, count: 0, infinite: null };
  const members = Object.entries(value).map(([key, member]) => ({
    key: key.replace(LONE_SURROGATE, '\uFFFD'),
    ...wellFormed(member, path === '' ? key : `${path}.${key}`),
  }));
  const count = members.reduce((sum, member) => sum + member.count, 0);
  const infinite = members.find((member) => member.infinite !== null)?.infinite ?? null;
  if (count === 0) return { value, count, infinite };
  if (Array.isArray(value)) return { value: members.map((member) => member.value), count, infinite };
  return { value: Object.fromEntries(members.map((member) => [member.key, member.value])), count, infinite };
}
