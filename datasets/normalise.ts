const LONE_SURROGATE = /\p{Surrogate}/gu;
const ZERO_WIDTH = /[\u200B-\u200D\u2060\uFEFF\u00AD]/g;
// NUL and the other control characters carry no text; tab and line feed do.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/** A fenced block, which keeps its blank lines, or a run of at least three blank lines. */
const FENCE_OR_BLANK_RUN = /^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n)??[ \t]*\1[ \t]*$|\n{4,}/gm;

/** Cleans text of any source without touching its words or code layout: line ends, trailing blanks, blank runs, NBSP, zero width, NFC. */
export function normaliseText(text: string): string {
  return text
    .replace(LONE_SURROGATE, '\uFFFD')
    .replace(/\r\n?|\u2028|\u2029|\u0085/g, '\n')
    .replace(/[\u00A0\u202F]/g, ' ')
    .replace(ZERO_WIDTH, '')
    .replace(CONTROL, '')
    .normalize('NFC')
    .replace(/[ \t]+$/gm, '')
    .replace(FENCE_OR_BLANK_RUN, (match, fence: string | undefined) => (fence === undefined ? '\n\n' : match))
    .replace(/^\n+|\s+$/g, '');
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
