import { words } from '../text/words.ts';

const POINTERS: readonly RegExp[] = [
  /\b(?:would|does|will) your (?:answer|advice|recommendation)s? change\b/i,
  /\b(?:as|like) (?:i|you|we)(?:['’]ve| have)? (?:said|mentioned|described|explained|told|suggested)\b/i,
  /\b(?:you|i) (?:said|mentioned|suggested|recommended|told me|listed|described|wrote) (?:above|earlier|before|previously)\b/i,
  /\b(?:your|my) (?:previous|earlier|last|prior|first) (?:answer|reply|response|message|question|suggestions?|list)\b/i,
  /\bthe (?:above|following) (?:code|text|list|question|answer|snippet|example|passage|function|data|table|suggestions?)\b/i,
  /\b(?:code|text|list|snippet|example|function|table|message|question|suggestions?) (?:above|below)\b/i,
  /\b(?:mentioned|described|listed|shown|given) (?:above|below)\b/i,
  /^(?:and|but|also)\b[^?]*\?$/i,
];

/** Words a query needs at least to say what it asks. */
export const MIN_QUERY_WORDS = 4;

/** Why a query cannot be read alone, as a clause for the model; null when it can. */
export function whyNotSelfContained(query: string): string | null {
  if (words(query).length < MIN_QUERY_WORDS) return `it has fewer than ${MIN_QUERY_WORDS} words`;
  for (const pointer of POINTERS) {
    const match = pointer.exec(query);
    if (match !== null) return `"${match[0].slice(0, 60)}" points at a text the reader does not have`;
  }
  return null;
}
