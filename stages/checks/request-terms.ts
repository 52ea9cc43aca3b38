import type { Breach } from '../settle.ts';
import { withoutAnswerContract } from '../text/contract.ts';
import { STOP_WORDS, contentStems, stem, words } from '../text/words.ts';
import { holdsToken, markedTokens } from './marked-tokens.ts';

/** A request term longer than this is a phrase of the query, not a thing asked about. */
export const MAX_REQUEST_TERM_WORDS = 6;

/** Words every request is made of; sharing them gives nothing away. Compared by stem. */
const CONVERSATION_STEMS: ReadonlySet<string> = new Set(
  'advice advise answer ask best better explain find give good happen help idea know look mean need please possible question reason recommend right say suggest sure tell thank thanks thing think try want way work wrong'
    .split(' ')
    .map(stem),
);

/** Request terms whose words all stand in the query; the others declare nothing. */
export function usedRequestTerms(query: string, terms: readonly string[]): readonly string[] {
  const present = new Set(words(query).map(stem));
  return terms.filter((term) => words(term).length > 0 && words(term).every((word) => present.has(stem(word))));
}

/** Words of the query (contract left out) that stand in a text and in no request term, as the query writes them. */
export function sharedWords(query: string, terms: readonly string[], text: string): readonly string[] {
  const declared = new Set(terms.flatMap((term) => words(term).map(stem)));
  const there = new Set(contentStems(text));
  const asked = words(withoutAnswerContract(query)).filter((word) => !STOP_WORDS.has(word));
  return [...new Set(asked.filter((word) => there.has(stem(word)) && !declared.has(stem(word)) && !CONVERSATION_STEMS.has(stem(word))))];
}

/** Numbers, identifiers and code spans of a text that one of the terms holds: values, never things asked about. */
export function valuesInTerms(terms: readonly string[], text: string): readonly string[] {
  const marked = markedTokens(text);
  const values = [...new Set([...marked.numbers, ...marked.identifiers, ...marked.codeSpans])];
  return values.filter((value) => terms.some((term) => holdsToken(term, value)));
}

/** Names and all-caps words of a text that a term holds: allowed, but flagged for the reviewers. */
export function namesInTerms(terms: readonly string[], text: string): readonly string[] {
  return [...markedTokens(text).names].filter((name) => terms.some((term) => holdsToken(term, name)));
}

/** The request-term rule of RULES for one memory text: each breach names the words the query must lose or declare. */
export function requestTermBreaches(query: string, terms: readonly string[], text: string, path: string): readonly Breach[] {
  const shared = sharedWords(query, terms, text);
  const values = valuesInTerms(terms, text);
  const breaches: Breach[] = [];
  if (shared.length > 0) {
    const list = shared.map((word) => `"${word}"`).join(', ');
    breaches.push({
      rule: 'query_leak',
      path,
      message: `The query shares ${list} with this memory or its evidence. Take the detail out of the query, or list the word in request_terms when it names what is asked about.`,
    });
  }
  if (values.length > 0) {
    const list = values.map((value) => `"${value}"`).join(', ');
    breaches.push({
      rule: 'query_leak',
      path: 'request_terms',
      message: `${list} is a number or identifier of a memory. It may stand neither in request_terms nor in the query.`,
    });
  }
  return breaches;
}
