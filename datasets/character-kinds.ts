/** What a character is, as bits: Unicode letter, number, mark, upper case, white space, and CJK (Han, Hiragana, Katakana). */
export const KIND = { letter: 1, number: 2, mark: 4, upper: 8, space: 16, cjk: 32 } as const;

const KNOWN = 128;
const TESTS: readonly (readonly [bit: number, pattern: RegExp])[] = [
  [KIND.letter, /\p{L}/u],
  [KIND.number, /\p{N}/u],
  [KIND.mark, /\p{M}/u],
  [KIND.upper, /\p{Lu}/u],
  [KIND.space, /\s/],
  [KIND.cjk, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u],
];

function kindsOfCharacter(character: string): number {
  return TESTS.reduce((bits, [bit, pattern]) => (pattern.test(character) ? bits | bit : bits), 0);
}

/** Kinds of every UTF-16 unit: ASCII at once, the rest on first sight. */
const known = new Uint8Array(65_536);
for (let unit = 0; unit < 128; unit += 1) known[unit] = kindsOfCharacter(String.fromCharCode(unit)) | KNOWN;

/** Kinds of the ASCII characters, for loops over long texts. */
export const ASCII_KINDS: Readonly<Uint8Array> = known.slice(0, 128).map((bits) => bits & ~KNOWN);

/** Kinds of one UTF-16 unit; a half of a pair has none. */
export function unitKinds(unit: number): number {
  const bits = known[unit] as number;
  if (bits !== 0) return bits & ~KNOWN;
  const kinds = kindsOfCharacter(String.fromCharCode(unit));
  known[unit] = kinds | KNOWN;
  return kinds;
}

/** Whether a unit is half of a surrogate pair. */
export function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Kinds of the character that begins at a place of a text; pairs count as the one character they are. */
export function kindsAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 128) return ASCII_KINDS[unit] as number;
  return isHalf(unit) ? kindsOfCharacter(String.fromCodePoint(text.codePointAt(at) ?? unit)) : unitKinds(unit);
}

// oxlint-disable-next-line no-control-regex
const NON_ASCII = /[^\u0000-\u007F]/;

/** Whether a text has only ASCII characters. */
export function isAscii(text: string): boolean {
  return !NON_ASCII.test(text);
}

/** Units of the character that begins at a place: two for a whole pair. */
export function widthAt(text: string, at: number): number {
  return isHalf(text.charCodeAt(at)) && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
