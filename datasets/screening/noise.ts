import type { Domain } from '../../schemas/levels.ts';
import { ASCII_KINDS, KIND, unitKinds } from '../character-kinds.ts';
import { proseOf } from './row-text.ts';

/** Highest share of symbols among non-space characters: prose, and coding where formulas and code stand in the text. */
const MAX_SYMBOL_SHARE: Readonly<Record<Domain, number>> = { health: 0.18, general: 0.18, coding: 0.45 };

/** The rule, as one reads it; `hasCharacterRun` says the same faster. */
export const CHARACTER_RUN = /([^\s\d\-=_.*~#+|/\\<>─━═•·…])\1{5,}/u;
const RUN_LENGTH = 6;
const HALF = /[\uD800-\uDFFF]/;

/** A letter or mark six times in a row in prose; digits, rules (`-----`, `=====`, `.....`), code and tables do not count. */
export function hasCharacterRun(text: string, prose: string = proseOf(text)): boolean {
  // Pairs repeat in two units, which the expression knows how to compare.
  if (HALF.test(prose)) return CHARACTER_RUN.test(prose);
  // Six in a row hold a place that is a multiple of six, and a neighbour of it.
  for (let at = 0; at < prose.length; at += RUN_LENGTH) {
    const unit = prose.charCodeAt(at);
    if (prose.charCodeAt(at + 1) !== unit && prose.charCodeAt(at - 1) !== unit) continue;
    let from = at;
    while (from > 0 && prose.charCodeAt(from - 1) === unit) from -= 1;
    let end = at + 1;
    while (prose.charCodeAt(end) === unit) end += 1;
    if (end - from >= RUN_LENGTH && CHARACTER_RUN.test(prose.slice(from, from + RUN_LENGTH))) return true;
    at = Math.max(at, end - (end % RUN_LENGTH) - RUN_LENGTH);
  }
  return false;
}

const WORDLIKE = KIND.letter | KIND.mark | KIND.number;
const ADDRESS = /https?:\/\/\S+/g;
const RULE_OR_FENCE = /[-=_*~#.─]{4,}|^\s*`{3,}.*$/gm;
const RULE_CHARACTERS = new Set(Array.from('-=_*~#.─', (character) => character.charCodeAt(0)));
const RULE_LENGTH = 4;
const BACKTICK = 0x60;

/** Share of symbols among the characters that are no space; null at the first sign of a rule or fence that has to be taken out before. */
function shareOfSymbols(text: string, mayHoldRules: boolean): number | null {
  let symbols = 0;
  let all = 0;
  let rule = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit <= 32) {
      rule = 0;
      continue;
    }
    all += 1;
    if (((unit < 128 ? (ASCII_KINDS[unit] as number) : unitKinds(unit)) & WORDLIKE) !== 0) {
      rule = 0;
      continue;
    }
    symbols += 1;
    if (!mayHoldRules) continue;
    rule = RULE_CHARACTERS.has(unit) ? rule + 1 : 0;
    if (rule === RULE_LENGTH || (unit === BACKTICK && text.startsWith('```', at))) return null;
  }
  return all === 0 ? 0 : symbols / all;
}

/** Share of characters that are neither letter, digit nor space among all that are no space; fences, links and rules are left out of prose. Halves of pairs count as symbols, so emoji do. */
export function symbolShare(text: string, domain: Domain, prose: string = proseOf(text)): number {
  const base = domain === 'coding' ? text : prose;
  const linkless = base.includes('http') ? base.replace(ADDRESS, '') : base;
  return shareOfSymbols(linkless, true) ?? shareOfSymbols(linkless.replace(RULE_OR_FENCE, ''), false) ?? 0;
}

/** Whether a text is noise (RULES): a stuck key, or mostly symbols. */
export function isNoise(text: string, domain: Domain, prose: string = proseOf(text)): boolean {
  return hasCharacterRun(text, prose) || symbolShare(text, domain, prose) > MAX_SYMBOL_SHARE[domain];
}
