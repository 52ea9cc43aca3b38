/** A place in a raw text, in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A folded text and, for each of its units, where it came from in the raw text. */
interface Folded {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A quote with fewer word characters proves nothing. */
const MIN_QUOTE_WORD_CHARACTERS = 2;
/** Fragments of a quote around an ellipsis need this many word characters each (RULES). */
export const MIN_FRAGMENT_WORD_CHARACTERS = 8;

const CLUSTER = /\r\n|\\[nrt]|\\[^\p{L}\p{N}\s]|[\s\S][\p{M}\u200d]*/uy;
const DROPPED = /[\u200b-\u200d\u2060\ufeff]|\u00ad|[\u{fe00}-\u{fe0f}]/gu;
const QUOTES = /[\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u00ab\u00bb\u2039\u203a`\u00b4"]/g;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
const ELLIPSIS = /\s*(?:\[\s*(?:\u2026|\.{3})\s*\]|\(\s*(?:\u2026|\.{3})\s*\)|\u2026|\.{3,})\s*/;

function foldCluster(cluster: string): string {
  if (/^\\[nrt]$/.test(cluster)) return ' ';
  const bare = cluster.length > 1 && cluster.startsWith('\\') ? cluster.slice(1) : cluster;
  return bare
    .normalize('NFKC')
    .replace(DROPPED, '')
    .replace(QUOTES, "'")
    .replace(DASHES, '-')
    .replace(/\s+/g, ' ')
    .toUpperCase()
    .toLowerCase();
}

function foldAscii(unit: string): string {
  if (unit === '"' || unit === '`') return "'";
  return unit <= ' ' ? ' ' : unit.toLowerCase();
}

/** The cluster at a place: one unit of plain ASCII as it stands, else a whole escape, line break or character with its marks. */
function clusterAt(raw: string, at: number): string {
  const code = raw.charCodeAt(at);
  const next = raw.charCodeAt(at + 1);
  if (code < 128 && code !== 92 && code !== 13 && !(next >= 128)) return raw.charAt(at);
  CLUSTER.lastIndex = at;
  return CLUSTER.exec(raw)?.[0] ?? raw.charAt(at);
}

/** NFKC, quotes, dashes, escapes, white space and case folded, with a map back to the raw offsets. */
function fold(raw: string): Folded {
  const units: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < raw.length;) {
    const cluster = clusterAt(raw, at);
    const end = at + cluster.length;
    const folded = cluster.length === 1 && cluster.charCodeAt(0) < 128 ? foldAscii(cluster) : foldCluster(cluster);
    for (const unit of folded.split('')) {
      const repeats = (unit === ' ' || unit === '-' || unit === "'") && units.at(-1) === unit;
      if (repeats) {
        ends[ends.length - 1] = end;
        continue;
      }
      units.push(unit);
      starts.push(at);
      ends.push(end);
    }
    at = end;
  }
  return { text: units.join(''), starts, ends };
}

const MAX_FIELDS = 24;
const foldedFields = new Map<string, Folded>();

/** Every quote of a reply is looked up in the same few fields, which are folded once. */
function foldField(text: string): Folded {
  const known = foldedFields.get(text);
  if (known !== undefined) return known;
  const folded = fold(text);
  if (foldedFields.size >= MAX_FIELDS) foldedFields.clear();
  foldedFields.set(text, folded);
  return folded;
}

function wordCharacters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

function cutsWord(text: string, at: number): boolean {
  return /^[\p{L}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1));
}

function standsApart(text: string, start: number, end: number): boolean {
  return !cutsWord(text, start) && !cutsWord(text, end);
}

/** First place of a folded piece at or after `from`: whole words preferred, parts of words only in long pieces. */
function locate(field: Folded, piece: string, from: number): Range | null {
  let inside = -1;
  for (let at = field.text.indexOf(piece, from); at >= 0; at = field.text.indexOf(piece, at + 1)) {
    if (standsApart(field.text, at, at + piece.length)) return { start: at, end: at + piece.length };
    if (inside < 0) inside = at;
  }
  return inside >= 0 && wordCharacters(piece) >= MIN_FRAGMENT_WORD_CHARACTERS ? { start: inside, end: inside + piece.length } : null;
}

/** The quote as it stands, without folding anything: the usual case, and the quick one. */
function locateExactly(text: string, quote: string): Range | null {
  if (quote !== quote.trim() || wordCharacters(quote) < MIN_QUOTE_WORD_CHARACTERS) return null;
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1))
    if (standsApart(text, at, at + quote.length)) return { start: at, end: at + quote.length };
  return null;
}

function toRaw(field: Folded, range: Range): Range | null {
  const start = field.starts[range.start];
  const end = field.ends[range.end - 1];
  return start === undefined || end === undefined ? null : { start, end };
}

function locateAll(field: Folded, pieces: readonly string[]): readonly Range[] | null {
  const found: Range[] = [];
  let from = 0;
  for (const piece of pieces) {
    const range = locate(field, piece, from);
    const raw = range === null ? null : toRaw(field, range);
    if (range === null || raw === null) return null;
    found.push(raw);
    from = range.end;
  }
  return found;
}

/**
 * Resolves a model's quote to exact offsets of the field: one range, or one per fragment when an ellipsis splits it.
 * Null when it does not stand there. `fieldText.slice(start, end)` is the quote as the source has it.
 */
export function resolveQuote(fieldText: string, quote: string): readonly Range[] | null {
  const exact = locateExactly(fieldText, quote);
  if (exact !== null) return [exact];
  const field = foldField(fieldText);
  const whole = fold(quote).text.trim();
  const bare = whole.replace(/^['\s]+|['\s]+$/g, '');
  const unpointed = bare.replace(/[.,;:!?]+$/, '');
  for (const candidate of new Set([whole, bare, unpointed])) {
    if (wordCharacters(candidate) < MIN_QUOTE_WORD_CHARACTERS) continue;
    const found = locateAll(field, [candidate]);
    if (found !== null) return found;
  }
  const pieces = quote
    .split(ELLIPSIS)
    .map((piece) => fold(piece).text.replace(/^['\s]+|['\s.,;:!?]+$/g, ''))
    .filter((piece) => piece !== '');
  const split = ELLIPSIS.test(quote) && pieces.length > 0;
  return split && pieces.every((piece) => wordCharacters(piece) >= MIN_FRAGMENT_WORD_CHARACTERS) ? locateAll(field, pieces) : null;
}
