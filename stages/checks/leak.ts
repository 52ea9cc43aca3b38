import type { Flag } from '../../schemas/workpiece.ts';
import { withoutAnswerContract } from '../text/contract.ts';
import { contentStems, coverage, words } from '../text/words.ts';
import { holdsToken, markedTokens } from './marked-tokens.ts';
import { namesInTerms, sharedWords, valuesInTerms } from './request-terms.ts';

export const RUN_MIN_WORDS = 3;
export const OVERLAP_MIN_WORDS = 4;
export const OVERLAP_SHARE = 0.65;
export const MARKED_SHARE = 0.72;
export const RUBRIC_SHARE = 0.82;

function hasRun(wanted: readonly string[], present: readonly string[]): boolean {
  return present.some((_, at) => wanted.every((item, offset) => present[at + offset] === item));
}

/** Whether all content words of an atom (three or more) stand in the query as one run: the leak that rejects. */
export function hasExactRun(query: string, atom: string): boolean {
  const wanted = contentStems(atom);
  return wanted.length >= RUN_MIN_WORDS && hasRun(wanted, contentStems(withoutAnswerContract(query)));
}

/** Whether query and atom share five words in a row. */
export function sharesFiveGram(query: string, atom: string): boolean {
  const asked = words(withoutAnswerContract(query));
  const said = words(atom);
  return said.some((_, at) => at + 5 <= said.length && hasRun(said.slice(at, at + 5), asked));
}

/** Whether most content words of an atom stand in the query. */
export function overlaps(query: string, atom: string): boolean {
  return new Set(contentStems(atom)).size >= OVERLAP_MIN_WORDS && coverage(atom, withoutAnswerContract(query)) >= OVERLAP_SHARE;
}

/** Share of an atom's words in the query when all its marked tokens stand there (names that are request terms left out); else null. */
export function markedShare(query: string, terms: readonly string[], atom: string): number | null {
  const bare = withoutAnswerContract(query);
  const marked = markedTokens(atom);
  const allowed = new Set(namesInTerms(terms, atom));
  const tokens = [...marked.numbers, ...marked.identifiers, ...marked.codeSpans, ...marked.names].filter((token) => !allowed.has(token));
  return tokens.length > 0 && tokens.every((token) => holdsToken(bare, token)) ? coverage(atom, bare) : null;
}

/** Whether the query covers so much of a rubric that it gives the expected behaviour away. */
export function leaksRubric(query: string, rubric: string): boolean {
  return new Set(contentStems(rubric)).size >= OVERLAP_MIN_WORDS && coverage(rubric, withoutAnswerContract(query)) >= RUBRIC_SHARE;
}

/** Soft findings on the query against one B or C atom; what `review-calibration` says of the atom decides. */
export function leakFlags(query: string, terms: readonly string[], atom: { readonly key: string; readonly text: string }): readonly Flag[] {
  const shared = sharedWords(query, terms, atom.text);
  const values = valuesInTerms(terms, atom.text);
  const names = namesInTerms(terms, atom.text);
  const share = markedShare(query, terms, atom.text);
  const findings: readonly (readonly [string, boolean, string])[] = [
    ['leak_request_terms', shared.length > 0, `${shared.length} undeclared shared words`],
    ['leak_request_term_value', values.length > 0, `${values.length} values of the atom are request terms`],
    ['request_term_is_name', names.length > 0, `${names.length} names of the atom are request terms`],
    ['leak_run', hasExactRun(query, atom.text), 'the content words stand in the query as a run'],
    ['leak_five_gram', sharesFiveGram(query, atom.text), 'five words in a row are shared'],
    ['leak_overlap', overlaps(query, atom.text), `at least ${OVERLAP_SHARE} of the content words are shared`],
    ['leak_marked', share !== null, 'all marked tokens stand in the query'],
    ['leak_marked_words', share !== null && share >= MARKED_SHARE, `and at least ${MARKED_SHARE} of the words`],
  ];
  return findings.filter(([, broken]) => broken).map(([rule, , detail]) => ({ rule, where: atom.key, detail }));
}
