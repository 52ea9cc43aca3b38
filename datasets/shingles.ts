/** Words of a text as two 32-bit hashes each (the first `count` of both arrays); CJK characters are words of their own. */
export interface HashedWords {
  count: number;
  high: Int32Array;
  low: Int32Array;
}

const SEPARATOR = 0;
const LETTER = 1;
const NUMBER = 2;
const CJK = 3;
const APOSTROPHE = 4;

function kindOf(char: string): number {
  if (char === "'" || char === '’') return APOSTROPHE;
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(char)) return CJK;
  if (/\p{N}/u.test(char)) return NUMBER;
  return /\p{L}/u.test(char) ? LETTER : SEPARATOR;
}

/** Class of every UTF-16 unit, filled on first sight: 0 unknown, else class + 1. */
const classes = new Uint8Array(65_536);

/** Class of the character at `at`; halves of a pair have the class of the whole. */
function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const start = unit >= 0xdc00 ? at - 1 : at;
    return kindOf(String.fromCodePoint(text.codePointAt(start) ?? unit));
  }
  const known = classes[unit] ?? 0;
  if (known !== 0) return known - 1;
  const kind = kindOf(String.fromCharCode(unit));
  classes[unit] = kind + 1;
  return kind;
}

const SEED_HIGH = 0x811c9dc5;
const SEED_LOW = 0x9747b28c;

/** Room for the words of one text, to be used again for the next. */
export function wordRoom(length = 1024): HashedWords {
  return { count: 0, high: new Int32Array(length), low: new Int32Array(length) };
}

const OTHER = 0;
const QUOTE = 1;

/** Of each ASCII character: its lower-case unit where it is part of a word, `QUOTE` for an apostrophe, else `OTHER`. */
const WORD_UNITS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  return char === "'" ? QUOTE : /[a-z0-9]/i.test(char) ? char.toLowerCase().charCodeAt(0) : OTHER;
});

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/** `hashWords` of a text of ASCII characters; false when it has others. */
function hashAsciiWords(text: string, room: HashedWords): boolean {
  const { high, low } = room;
  const { length } = text;
  let count = 0;
  for (let at = 0; at < length;) {
    const first = text.charCodeAt(at);
    if (first > 127) return false;
    let unit = WORD_UNITS[first] as number;
    if (unit <= QUOTE) {
      at += 1;
      continue;
    }
    let a = SEED_HIGH;
    let b = SEED_LOW;
    let isAfterApostrophe = false;
    do {
      a = Math.imul(a ^ unit, 0x01000193);
      b = Math.imul(b ^ unit, 0x5bd1e995);
      b ^= b >>> 13;
      at += 1;
      let next = at < length ? text.charCodeAt(at) : 0;
      if (next > 127) return false;
      unit = WORD_UNITS[next] as number;
      if (unit !== QUOTE) continue;
      // An apostrophe goes on with the word where a letter follows it.
      next = at + 1 < length ? text.charCodeAt(at + 1) : 0;
      if (next > 127) return false;
      unit = WORD_UNITS[next] as number;
      if (unit <= QUOTE || isDigit(unit)) break;
      isAfterApostrophe = true;
      a = Math.imul(a ^ 39, 0x01000193);
      at += 1;
    } while (unit > QUOTE && !(isAfterApostrophe && isDigit(unit)));
    high[count] = a;
    low[count] = b;
    count += 1;
  }
  room.count = count;
  return true;
}

/** Splits a text into the words of `stages/text/words.ts` (lower case, NFKC), hashed with fixed constants; equal on every machine. Writes into `room`. */
export function hashWords(text: string, room: HashedWords = wordRoom()): HashedWords {
  if (room.high.length <= text.length) Object.assign(room, wordRoom(text.length * 2));
  return hashAsciiWords(text, room) ? room : hashAnyWords(text.normalize('NFKC').toLowerCase(), room);
}

function hashAnyWords(lower: string, room: HashedWords): HashedWords {
  const { length } = lower;
  if (room.high.length <= length) Object.assign(room, wordRoom(length * 2));
  const { high, low } = room;
  let count = 0;
  let a = SEED_HIGH;
  let b = SEED_LOW;
  let isOpen = false;
  let isAfterApostrophe = false;
  // A word that ends is written and its place taken; one that goes on is written again.
  for (let i = 0; i < length; i += 1) {
    const unit = lower.charCodeAt(i);
    const known = classes[unit] as number;
    const kind = known === 0 ? classAt(lower, i) : known - 1;
    const isWordlike = kind === LETTER || kind === NUMBER || kind === CJK;
    if (kind === APOSTROPHE && isOpen && i + 1 < length && (classAt(lower, i + 1) & ~2) === LETTER) {
      isAfterApostrophe = true;
      a = Math.imul(a ^ 39, 0x01000193);
      continue;
    }
    if (isOpen && (!isWordlike || kind === CJK || (kind === NUMBER && isAfterApostrophe))) {
      high[count] = a;
      low[count] = b;
      count += 1;
      isOpen = false;
    }
    if (!isWordlike) continue;
    if (!isOpen) {
      a = SEED_HIGH;
      b = SEED_LOW;
      isOpen = true;
      isAfterApostrophe = false;
    }
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    b ^= b >>> 13;
    if (kind === CJK) {
      high[count] = a;
      low[count] = b;
      count += 1;
      isOpen = false;
    }
  }
  if (isOpen) {
    high[count] = a;
    low[count] = b;
    count += 1;
  }
  room.count = count;
  return room;
}

/** Words under which shingles have three words (RULES); longer texts use five. */
export const SHORT_TEXT_WORDS = 12;

/** Number of shingles of a text; a text shorter than one shingle is one shingle of what it has. */
export function shingleCount({ count }: HashedWords, size: number): number {
  return count === 0 ? 0 : count - Math.min(size, count) + 1;
}

/** The upper half of every shingle hash, in order of the text and with repeats: all that MinHash needs. */
export function shingleHighs(words: HashedWords, size: number, into: Int32Array): number {
  const { high } = words;
  const width = Math.min(size, words.count);
  const total = shingleCount(words, size);
  for (let i = 0; i < total; i += 1) {
    let a = 0x2545f491;
    for (let j = i; j < i + width; j += 1) a = Math.imul((a << 5) ^ (a >>> 27) ^ (high[j] as number), 0x85ebca6b);
    into[i] = mix(a);
  }
  return total;
}

/** The shingles of a text as distinct 53-bit hashes in ascending order. */
export function shingleHashes(words: HashedWords, size: number): Float64Array {
  const { high, low } = words;
  const width = Math.min(size, words.count);
  const hashes = new Float64Array(shingleCount(words, size));
  for (let i = 0; i < hashes.length; i += 1) {
    let a = 0x2545f491;
    let b = 0x6c078965;
    for (let j = i; j < i + width; j += 1) {
      a = Math.imul((a << 5) ^ (a >>> 27) ^ (high[j] as number), 0x85ebca6b);
      b = Math.imul((b << 7) ^ (b >>> 25) ^ (low[j] as number), 0xc2b2ae35);
    }
    hashes[i] = (mix(a) >>> 0) * 2_097_152 + (mix(b ^ a) >>> 11);
  }
  hashes.sort();
  let kept = 0;
  for (let i = 0; i < hashes.length; i += 1) if (i === 0 || hashes[i] !== hashes[i - 1]) hashes[kept++] = hashes[i] ?? 0;
  return hashes.subarray(0, kept);
}

function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Exact Jaccard index of two sorted sets; 1 when both are empty. */
export function jaccard(a: Float64Array, b: Float64Array): number {
  if (a.length === 0 && b.length === 0) return 1;
  let common = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const x = a[i] ?? 0;
    const y = b[j] ?? 0;
    if (x === y) {
      common += 1;
      i += 1;
      j += 1;
    } else if (x < y) i += 1;
    else j += 1;
  }
  return common / (a.length + b.length - common);
}
