import type { Domain } from '../../schemas/levels.ts';
import { proseOf } from './row-text.ts';

/** Beyond ASCII: letters, marks, numbers, no halves of pairs, so emoji count as symbols. */
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;

/** Highest share of symbols among non-space characters: prose, and coding where formulas and code stand in the text. */
const MAX_SYMBOL_SHARE: Readonly<Record<Domain, number>> = { health: 0.18, general: 0.18, coding: 0.45 };

/** A letter or mark six times in a row in prose; digits, rules (`-----`, `=====`, `.....`), code and tables do not count. */
export function hasCharacterRun(text: string): boolean {
  return /([^\s\d\-=_.*~#+|/\\<>─━═•·…])\1{5,}/u.test(proseOf(text));
}

/** Share of characters that are neither letter, digit nor space among all that are no space; fences, links and rules are left out of prose. */
export function symbolShare(text: string, domain: Domain): number {
  const counted = (domain === 'coding' ? text : proseOf(text)).replace(/https?:\/\/\S+/g, '').replace(/[-=_*~#.─]{4,}|^\s*`{3,}.*$/gm, '');
  let symbols = 0;
  let all = 0;
  for (let i = 0; i < counted.length; i += 1) {
    const unit = counted.charCodeAt(i);
    if (unit <= 32) continue;
    all += 1;
    const isWord =
      unit < 128 ? ((unit | 32) >= 97 && (unit | 32) <= 122) || (unit >= 48 && unit <= 57) : WORD_CHARACTER.test(counted.charAt(i));
    if (!isWord) symbols += 1;
  }
  return all === 0 ? 0 : symbols / all;
}

/** Whether a text is noise (RULES): a stuck key, or mostly symbols. */
export function isNoise(text: string, domain: Domain): boolean {
  return hasCharacterRun(text) || symbolShare(text, domain) > MAX_SYMBOL_SHARE[domain];
}
