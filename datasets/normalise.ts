const LONE_SURROGATE = /\p{Surrogate}/gu;
const ZERO_WIDTH = /[\u200B-\u200D\u2060\uFEFF\u00AD]/g;
// NUL and the other control characters carry no text; tab and line feed do.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/** A fenced block, which keeps its blank lines, or a run of at least three blank lines. */
const FENCE_OR_BLANK_RUN = /^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n)??[ \t]*\1[ \t]*$|\n{4,}/gm;

/** Longest raw text that is cleaned: ten times what any rule lets pass, so that padding and markup fit and made-up texts cost nothing. */
export const MAX_TEXT_CHARS = 100_000;

/** A text that no adapter can clean; the code is the reason of the row's rejection, the message its detail (no row text). */
export class TextFault extends Error {
  override readonly name = 'TextFault';
  readonly code: 'text_too_long' | 'markup_too_deep';

  constructor(code: TextFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Fences this long are none: looking for their ends takes as many tries as they have characters. */
const ENDLESS_FENCE = /`{201}|~{201}/;

/** Throws for a text beyond what is cleaned. */
export function checkCleanable(text: string): void {
  if (text.length > MAX_TEXT_CHARS)
    throw new TextFault('text_too_long', `A text of the row has ${text.length} characters; at most ${MAX_TEXT_CHARS} are looked at.`);
  if (ENDLESS_FENCE.test(text))
    throw new TextFault('markup_too_deep', 'A text of the row has more than 200 backticks or tildes without a gap.');
}

/** Has none of the characters that the first steps of `normaliseText` look for. */
// oxlint-disable-next-line no-control-regex
const UNUSUAL = /[^\t\n\u0020-\u007E]/;

function withUsualCharacters(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text
    .replace(LONE_SURROGATE, '\uFFFD')
    .replace(/\r\n?|\u2028|\u2029|\u0085/g, '\n')
    .replace(/[\u00A0\u202F]/g, ' ')
    .replace(ZERO_WIDTH, '')
    .replace(CONTROL, '')
    .normalize('NFC');
}

/** Cleans text of any source without touching its words or code layout: line ends, trailing blanks, blank runs, NBSP, zero width, NFC. */
export function normaliseText(text: string): string {
  checkCleanable(text);
  let clean = withUsualCharacters(text);
  if (clean.includes(' \n') || clean.includes('\t\n')) clean = clean.replace(/(?<![ \t])[ \t]+$/gm, '');
  // Only a run of blank lines changes; fences are looked for to spare those in them.
  if (clean.includes('\n\n\n\n'))
    clean = clean.replace(FENCE_OR_BLANK_RUN, (match, fence: string | undefined) => (fence === undefined ? '\n\n' : match));
  return clean.replace(/^\n+/, '').trimEnd();
}

/** Same, for prose that was padded by a scraper: also trims every line and folds runs of blanks. */
export function normaliseProse(text: string): string {
  return normaliseText(text)
    .split('\n')
    .map((line) => line.trim().replace(/[ \t]{2,}/g, ' '))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Whether a text holds half of a surrogate pair, which no JSON reader downstream accepts. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
