import { eld } from 'eld/small';
import { countTokens, proseOf } from './row-text.ts';

/** Lowest share of ASCII among letters (RULES). */
export const MIN_ASCII_SHARE = 0.75;

/** Texts with fewer words are too short for the detector and are judged by their letters alone. */
const MIN_DETECTOR_WORDS = 12;

/** Share of ASCII letters among the letters of a text; 1 when it has none. */
export function asciiLetterShare(text: string): number {
  let ascii = 0;
  let other = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 128) ascii += Number((unit | 32) >= 97 && (unit | 32) <= 122);
    else if (/\p{L}/u.test(String.fromCodePoint(text.codePointAt(i) ?? unit))) other += 1;
  }
  return ascii + other === 0 ? 1 : ascii / (ascii + other);
}

const ENGLISH_WORDS =
  /\b(?:the|and|is|are|of|to|in|that|it|for|with|you|have|this|was|not|be|on|my|but|as|or|can|from|what|if|do|will)\b/gi;

/** Whether prose is English: letters nearly all ASCII, and the detector (or one in eight words being a common English one) agrees. Code and short texts go by letters only. */
export function isEnglish(text: string): boolean {
  if (asciiLetterShare(text) < MIN_ASCII_SHARE) return false;
  const prose = proseOf(text).replace(/https?:\/\/\S+/g, ' ');
  const words = countTokens(prose);
  if (words < MIN_DETECTOR_WORDS) return true;
  if ((prose.match(ENGLISH_WORDS) ?? []).length / words >= 0.125) return true;
  return eld.detect(prose.slice(0, 2000)).language === 'en';
}
