import { eld } from 'eld/small';
import { isAscii, isHalf, KIND, kindsAt, unitKinds } from '../character-kinds.ts';
import { createPatternSet } from '../pattern-set/pattern-set.ts';
import { countTokens, proseOf } from './row-text.ts';

/** Lowest share of ASCII among letters (RULES). */
export const MIN_ASCII_SHARE = 0.75;

/** Texts with fewer words are too short for the detector and are judged by their letters alone. */
const MIN_DETECTOR_WORDS = 12;

/** Share of ASCII letters among the letters of a text; 1 when it has none. */
export function asciiLetterShare(text: string): number {
  if (isAscii(text)) return 1;
  let ascii = 0;
  let other = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 128) ascii += Number((unit | 32) >= 97 && (unit | 32) <= 122);
    else if (((isHalf(unit) ? kindsAt(text, at) : unitKinds(unit)) & KIND.letter) !== 0) other += 1;
  }
  return ascii + other === 0 ? 1 : ascii / (ascii + other);
}

/** Common words that foreign texts lack; their number is the number of places where one ends. */
export const ENGLISH_WORDS =
  /\b(?:the|and|is|are|of|to|in|that|it|for|with|you|have|this|was|not|be|on|my|but|as|or|can|from|what|if|do|will)\b/gi;
const ENGLISH = createPatternSet([ENGLISH_WORDS]);

/** Whether at least one word in eight is a common English one. */
function hasEnglishWords(text: string, words: number): boolean {
  const least = Math.ceil(words / 8);
  return ENGLISH.hasEnds(text, least) ?? (text.match(ENGLISH_WORDS) ?? []).length >= least;
}

/** What of a text is asked about. */
interface LanguageFacts {
  readonly asciiShare: number;
  readonly prose: string;
  readonly tokens: number;
}

function factsOf(text: string): LanguageFacts {
  return { asciiShare: asciiLetterShare(text), prose: proseOf(text), tokens: countTokens(text) };
}

/** Whether prose is English: letters nearly all ASCII, and the detector (or one in eight words being a common English one) agrees. Code and short texts go by letters only. */
export function isEnglish(text: string, facts: LanguageFacts = factsOf(text)): boolean {
  if (facts.asciiShare < MIN_ASCII_SHARE) return false;
  const prose = facts.prose.includes('http') ? facts.prose.replace(/https?:\/\/\S+/g, ' ') : facts.prose;
  const words = prose === text ? facts.tokens : countTokens(prose);
  if (words < MIN_DETECTOR_WORDS) return true;
  if (hasEnglishWords(prose, words)) return true;
  return eld.detect(prose.slice(0, 2000)).language === 'en';
}
