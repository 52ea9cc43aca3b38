import type { Domain } from '../../schemas/levels.ts';
import { proseOf } from './row-text.ts';

/** Highest share of symbols among non-space characters: prose, and coding where formulas and code stand in the text. */
const MAX_SYMBOL_SHARE: Readonly<Record<Domain, number>> = { health: 0.18, general: 0.18, coding: 0.45 };

/** A letter or mark six times in a row in prose; digits, rules (`-----`, `=====`, `.....`), code and tables do not count. */
export function hasCharacterRun(text: string): boolean {
  return /([^\s\d\-=_.*~#+|/\\<>─━═•·…])\1{5,}/u.test(proseOf(text));
}

/** Share of characters that are neither letter, digit nor space among all that are no space; fences, links and rules are left out of prose. */
export function symbolShare(text: string, domain: Domain): number {
  const counted = (domain === 'coding' ? text : proseOf(text)).replace(/https?:\/\/\S+/g, '').replace(/[-=_*~#─]{4,}/g, '');
  let symbols = 0;
  let all = 0;
  for (const char of counted) {
    if (/\s/u.test(char)) continue;
    all += 1;
    if (!/[\p{L}\p{M}\p{N}]/u.test(char)) symbols += 1;
  }
  return all === 0 ? 0 : symbols / all;
}

/** Whether a text is noise (RULES): a stuck key, or mostly symbols. */
export function isNoise(text: string, domain: Domain): boolean {
  return hasCharacterRun(text) || symbolShare(text, domain) > MAX_SYMBOL_SHARE[domain];
}
