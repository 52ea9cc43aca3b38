import { STOP_WORDS } from '../text/words.ts';

/** Tokens that carry a fact by themselves: compared as they stand, numbers without thousands separators. */
export interface MarkedTokens {
  readonly numbers: ReadonlySet<string>;
  /** Code identifiers: snake case, camel case, dotted or called names. */
  readonly identifiers: ReadonlySet<string>;
  readonly codeSpans: ReadonlySet<string>;
  /** All-caps words and capitalised names; a first word only when it is no plain word. */
  readonly names: ReadonlySet<string>;
}

const NUMBER_WORDS =
  'three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(' ');
const CODE_SPAN = /`+([^`]+?)`+/g;
const NUMBER = /(?<![\p{L}\p{N}_.]|[\p{L}]-)\d+(?:[.,]\d+)*/gu;
const PRODUCTS = /\b(?:macOS|watchOS|tvOS|iPadOS)\b/g;
const IDENTIFIER = /\b(?:[A-Za-z]\w*_\w+|_\w+|[a-z]{2,}\w*[A-Z][a-z]\w*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+(?=\W|$)|[A-Za-z_]\w*(?=\(\)))/g;
const CAMEL = /\b[A-Z][a-z]+[A-Z]\w*/g;
const ABBREVIATIONS = /\b(?:e\.g|i\.e|a\.m|p\.m|u\.s|u\.k)\b/gi;

function numbersOf(text: string): readonly string[] {
  const digits = [...text.matchAll(NUMBER)].map((match) => match[0].replace(/(?<=\d),(?=\d{3}\b)/g, ''));
  const spelled = (text.toLowerCase().match(/\p{L}+/gu) ?? []).map((word) => NUMBER_WORDS.indexOf(word)).filter((index) => index >= 0);
  return [...digits, ...spelled.map((index) => String(index + 3))];
}

function namesOf(prose: string): readonly string[] {
  return [...prose.matchAll(/(?<![\p{L}\p{N}_])\p{Lu}[\p{L}\p{N}+#-]*/gu)].flatMap((match) => {
    const token = match[0];
    const opens = /(?:^|[.!?:]\s+|["“(])$/.test(prose.slice(0, match.index));
    if (token === 'I' || STOP_WORDS.has(token.toLowerCase())) return [];
    const telling = token.length > 1 && token === token.toUpperCase();
    return !opens || telling ? [token] : [];
  });
}

/** Numbers, identifiers, code spans and names of a text. Number words from three to twenty count as their digits. */
export function markedTokens(text: string): MarkedTokens {
  const codeSpans = [...text.matchAll(CODE_SPAN)].map((match) => (match[1] ?? '').trim());
  const prose = text.replace(CODE_SPAN, ' ').replace(ABBREVIATIONS, ' ');
  const named: readonly string[] = prose.replace(PRODUCTS, ' ').match(IDENTIFIER) ?? [];
  const inCode = codeSpans.flatMap((span) => [...(span.match(IDENTIFIER) ?? []), ...(span.match(CAMEL) ?? [])]);
  return {
    numbers: new Set(numbersOf(prose).concat(codeSpans.flatMap((span) => span.match(NUMBER) ?? []))),
    identifiers: new Set([...named, ...inCode]),
    codeSpans: new Set(codeSpans),
    names: new Set(namesOf(prose).filter((name) => !named.includes(name))),
  };
}

/** Whether a marked token stands in a text as a whole token, with its case; numbers also as words. */
export function holdsToken(text: string, token: string): boolean {
  if (/^\d/.test(token) && markedTokens(text).numbers.has(token)) return true;
  const escaped = token.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'u').test(text);
}
