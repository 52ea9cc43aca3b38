import { STOP_WORDS, contentStems, stem, words } from '../text/words.ts';

/** Share of a left-out fact's words that may not stand in query or memory together. */
export const DROPPED_SHARE = 0.8;

/**
 * Whether a fact that was left out stands in a text all the same. Request terms do not count as its words;
 * short facts (one or two words of their own) must fill the text nearly alone.
 */
export function bringsBack(dropped: string, text: string, requestTerms: readonly string[]): boolean {
  const asked = new Set(requestTerms.flatMap((term) => words(term).map(stem)));
  const own = [...new Set(contentStems(dropped))].filter((item) => !asked.has(item));
  if (own.length === 0) return false;
  const there = new Set(contentStems(text));
  const present = own.filter((item) => there.has(item)).length;
  if (own.length >= 3) return present / own.length >= DROPPED_SHARE;
  const others = words(text).filter((word) => !STOP_WORDS.has(word) && !asked.has(stem(word)) && !own.includes(stem(word)));
  return present === own.length && others.length <= 1;
}
