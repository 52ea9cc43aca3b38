import type { JsonObject } from '../schemas/json.ts';

/** One native row, or the reason why its place in the file holds none. `number` is 1-based (line, element or record). */
export type ReadRow =
  | { readonly kind: 'row'; readonly number: number; readonly row: JsonObject }
  | { readonly kind: 'bad'; readonly number: number; readonly reason: string; readonly detail: string };

/** Deepest nesting of a row: real ones have a dozen levels, and what comes later calls itself for each. */
const MOST_LEVELS = 500;

/** What of a valid JSON text `JSON.parse` would hide or later steps could not walk: a key twice in one object, or too many levels. */
export function jsonFault(json: string): { readonly kind: 'duplicate_key'; readonly key: string } | { readonly kind: 'too_deep' } | null {
  const stack: (Set<string> | null)[] = [];
  for (let i = 0; i < json.length; i += 1) {
    const char = json.charCodeAt(i);
    if (char === 123) stack.push(new Set());
    else if (char === 91) stack.push(null);
    else if (char === 125 || char === 93) stack.pop();
    else if (char === 34) {
      const start = i;
      i += 1;
      while (json.charCodeAt(i) !== 34) i += json.charCodeAt(i) === 92 ? 2 : 1;
      let next = i + 1;
      while (next < json.length && json.charCodeAt(next) <= 32) next += 1;
      const keys = stack.at(-1);
      if (keys === undefined || keys === null || json.charCodeAt(next) !== 58) continue;
      const key = JSON.parse(json.slice(start, i + 1)) as string;
      if (keys.has(key)) return { kind: 'duplicate_key', key };
      keys.add(key);
    }
    if (stack.length > MOST_LEVELS) return { kind: 'too_deep' };
  }
  return null;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Reads the bytes of one row as a JSON object; every fault becomes a `bad` row with its number. */
export function parseJsonRow(bytes: Uint8Array, number: number): ReadRow {
  const bad = (reason: string, detail: string): ReadRow => ({ kind: 'bad', number, reason, detail });
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return bad('invalid_utf8', `Row ${number} is not valid UTF-8.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return bad('malformed_json', `Row ${number} is not valid JSON.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return bad('not_an_object', `Row ${number} is JSON but no object.`);
  const fault = jsonFault(text);
  if (fault?.kind === 'too_deep') return bad('nested_too_deep', `Row ${number} has more than ${MOST_LEVELS} levels of lists and objects.`);
  if (fault !== null) return bad('duplicate_key', `Row ${number} has the column ${JSON.stringify(fault.key.slice(0, 40))} twice.`);
  return { kind: 'row', number, row: value as JsonObject };
}
