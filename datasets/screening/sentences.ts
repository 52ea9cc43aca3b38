import { KIND, kindsAt, unitKinds } from '../character-kinds.ts';

/** The rule, as one reads it: where a sentence ends in a text with capitals, and in one without. `sentencesOf` finds the same places faster. */
export const SENTENCE_BORDER = /(?<=[.!?]["')\]]*)\s+(?=["'([]?[\p{Lu}\p{N}])|(?<=[a-z]{2}[.!?])(?=\p{Lu}\p{Ll})|\n+/u;
export const LOWER_CASE_BORDER = /(?<=[\p{L}\p{N})]{2}[.!?]+)\s+|\n+/u;

const LF = 10;
const isEnd = (unit: number): boolean => unit === 0x2e || unit === 0x21 || unit === 0x3f;
const isCloser = (unit: number): boolean => unit === 0x22 || unit === 0x27 || unit === 0x29 || unit === 0x5d;
const isOpener = (unit: number): boolean => unit === 0x22 || unit === 0x27 || unit === 0x28 || unit === 0x5b;
const isLowerAscii = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
const isSpace = (unit: number): boolean => (unitKinds(unit) & KIND.space) !== 0;
const BEGINS = KIND.upper | KIND.number;

function spaceEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Whether a sentence ends right before a place, closing quotes and brackets aside. */
function endsBefore(text: string, at: number): boolean {
  let last = at - 1;
  while (last >= 0 && isCloser(text.charCodeAt(last))) last -= 1;
  return last >= 0 && isEnd(text.charCodeAt(last));
}

function beginsAt(text: string, at: number): boolean {
  if (at >= text.length) return false;
  if ((kindsAt(text, at) & BEGINS) !== 0) return true;
  return isOpener(text.charCodeAt(at)) && at + 1 < text.length && (kindsAt(text, at + 1) & BEGINS) !== 0;
}

/** Whether a full stop that lacks its blank stands before a place: "well.The". */
function isUnspacedBorder(text: string, at: number): boolean {
  return (
    at >= 3 &&
    isEnd(text.charCodeAt(at - 1)) &&
    isLowerAscii(text.charCodeAt(at - 2)) &&
    isLowerAscii(text.charCodeAt(at - 3)) &&
    /^\p{Lu}\p{Ll}/u.test(text.slice(at, at + 4))
  );
}

/** Whether two letters, digits or closing brackets and at least one sentence end stand right before a place. */
function endsBeforeLowerCase(text: string, at: number): boolean {
  let last = at - 1;
  while (last >= 0 && isEnd(text.charCodeAt(last))) last -= 1;
  return last < at - 1 && /[\p{L}\p{N})]{2}$/u.test(text.slice(Math.max(0, last - 3), last + 1));
}

const BLANK = 32;

/** 1 for what neither ends a sentence nor parts words. */
const AMID = Uint8Array.from({ length: 128 }, (_, unit) => Number(unit > BLANK && !isEnd(unit)));

/** Start and end of the first border at or behind a place, or null. */
function nextBorder(text: string, from: number, hasCapitals: boolean): readonly [start: number, end: number] | null {
  const { length } = text;
  let isBehindEnd = false;
  for (let at = from; at < length; at += 1) {
    let unit = text.charCodeAt(at);
    // Most characters are letters amid words, and most blanks stand behind a letter.
    if (!isBehindEnd) {
      let before = at > from ? text.charCodeAt(at - 1) : BLANK;
      while (
        at + 1 < length &&
        unit < 128 &&
        ((AMID[unit] as number) === 1 || (unit === BLANK && before < 128 && AMID[before] === 1 && !isCloser(before)))
      ) {
        before = unit;
        at += 1;
        unit = text.charCodeAt(at);
      }
    }
    const wasBehindEnd = isBehindEnd;
    isBehindEnd = isEnd(unit);
    // Most characters are letters amid words.
    if (unit > 32 && unit < 128 && !wasBehindEnd) continue;
    if (!isSpace(unit)) {
      if (hasCapitals && at > from && isUnspacedBorder(text, at)) return [at, at];
      continue;
    }
    if (hasCapitals ? endsBefore(text, at) : endsBeforeLowerCase(text, at)) {
      const end = spaceEnd(text, at);
      if (!hasCapitals || beginsAt(text, end)) return [at, end];
    }
    if (unit === LF) {
      let lineEnd = at;
      while (text.charCodeAt(lineEnd) === LF) lineEnd += 1;
      return [at, lineEnd];
    }
  }
  return null;
}

function hasCapital(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if ((kindsAt(text, at) & KIND.upper) !== 0) return true;
  return false;
}

/** Sentences of a prose text, in order, ends kept. Abbreviations and decimals do not end one; line breaks do. */
export function sentencesOf(text: string): readonly string[] {
  // Some sources are lower-cased throughout; there a full stop and a blank must do.
  const hasCapitals = hasCapital(text);
  const out: string[] = [];
  let from = 0;
  const keep = (end: number): void => {
    const sentence = text.slice(from, end).trim();
    if (sentence !== '') out.push(sentence);
  };
  for (let border = nextBorder(text, from, hasCapitals); border !== null; border = nextBorder(text, from, hasCapitals)) {
    keep(border[0]);
    from = border[1];
  }
  keep(text.length);
  return out;
}
