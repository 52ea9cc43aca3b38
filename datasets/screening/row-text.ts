import type { SourceRow } from '../../schemas/source-row.ts';
import { ASCII_KINDS, isAscii, KIND, kindsAt, widthAt } from '../character-kinds.ts';

/** What intent, signals, topic and complexity are tested on: the user's side (or unattributed text) of the context, then the question. */
export function askedText(row: Pick<SourceRow, 'context' | 'question'>): string {
  return [...row.context.filter((turn) => turn.speaker !== 'assistant').map((turn) => turn.text), row.question].join('\n');
}

/** Without one of these no part of a text can be anything but prose. */
const CODE_SIGNS = ['`', '|', '~~~', '\n    ', '\n\t'] as const;

function mayHoldCode(text: string): boolean {
  return CODE_SIGNS.some((sign) => text.includes(sign)) || text.startsWith('    ') || text.startsWith('\t');
}

/** A text without fenced blocks, indented code, inline code and table rows: what counts as prose. */
export function proseOf(text: string): string {
  if (!mayHoldCode(text)) return text;
  return text
    .replace(/(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n\1[^\n]*|$)/g, '\n')
    .replace(/`[^`\n]*`/g, ' ')
    .split('\n')
    .filter((line) => !/^(?: {4}|\t)\s*\S/.test(line) && !/^\s*\|.*\|\s*$/.test(line))
    .join('\n');
}

const WORDLIKE = KIND.letter | KIND.number;

/** End of the run of characters of some kinds that begins at a place. */
function runEnd(text: string, from: number, kinds: number): number {
  const { length } = text;
  let at = from;
  while (at < length) {
    const unit = text.charCodeAt(at);
    if (unit < 128) {
      if (((ASCII_KINDS[unit] as number) & kinds) === 0) break;
      at += 1;
    } else {
      if ((kindsAt(text, at) & kinds) === 0) break;
      at += widthAt(text, at);
    }
  }
  return at;
}

/** Start of the next character of some kinds at or behind a place; the length of the text when there is none. */
function nextOf(text: string, from: number, kinds: number): number {
  const { length } = text;
  let at = from;
  while (at < length) {
    const unit = text.charCodeAt(at);
    if (((unit < 128 ? (ASCII_KINDS[unit] as number) : kindsAt(text, at)) & kinds) !== 0) break;
    at += 1;
  }
  return at;
}

/** End of a word that begins at a place: letters and numbers, then any number of apostrophes with letters behind. */
function wordEnd(text: string, from: number): number {
  let at = runEnd(text, from, WORDLIKE);
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x27 && unit !== 0x2019) break;
    const end = runEnd(text, at + 1, KIND.letter);
    if (end === at + 1) break;
    at = end;
  }
  return at;
}

/** A small number made of what a word begins and ends with and how long it is. */
function sketchOf(text: string, from: number, end: number): number {
  return (text.charCodeAt(from) * 31 + text.charCodeAt(end - 1) * 7 + (end - from) * 131) & 4095;
}

const sketches = new WeakMap<ReadonlySet<string>, Uint8Array>();

/** 1 at the sketch of every word of a list: a word whose sketch is not there is not in the list. */
function sketchesOf(list: ReadonlySet<string>): Uint8Array {
  const known = sketches.get(list);
  if (known !== undefined) return known;
  const marks = new Uint8Array(4096);
  for (const word of list) marks[sketchOf(word, 0, word.length)] = 1;
  sketches.set(list, marks);
  return marks;
}

/** Number of words (as `stages/text/words.ts` has them: NFKC, lower case, apostrophes folded) that are not in a list, counted up to a limit. */
export function countWordsBeside(text: string, list: ReadonlySet<string>, most: number): number {
  const folded = (isAscii(text) ? text : text.normalize('NFKC').replaceAll('’', "'")).toLowerCase();
  const marks = sketchesOf(list);
  let count = 0;
  for (let at = nextOf(folded, 0, WORDLIKE); at < folded.length && count < most;) {
    const end = wordEnd(folded, at);
    if (marks[sketchOf(folded, at, end)] === 0 || !list.has(folded.slice(at, end))) count += 1;
    at = nextOf(folded, end, WORDLIKE);
  }
  return count;
}

function countWordsWith(text: string, alone: number): number {
  let count = 0;
  for (let at = nextOf(text, 0, WORDLIKE | alone); at < text.length; at = nextOf(text, at, WORDLIKE | alone)) {
    at = (kindsAt(text, at) & alone) !== 0 ? at + widthAt(text, at) : wordEnd(text, at);
    count += 1;
  }
  return count;
}

const APOSTROPHE = 0x27;
const OUTSIDE = 0;
const IN_WORD = 1;
const BEHIND_APOSTROPHE = 2;

/** Words of a text of ASCII characters, of which none is CJK; null when it has others. */
function countAsciiWords(text: string): number | null {
  const { length } = text;
  let count = 0;
  let place = OUTSIDE;
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 127) return null;
    const kinds = ASCII_KINDS[unit] as number;
    if ((kinds & WORDLIKE) !== 0) {
      // Behind an apostrophe a word goes on with letters only.
      if (place === IN_WORD || (place === BEHIND_APOSTROPHE && (kinds & KIND.letter) !== 0)) continue;
      count += 1;
      place = IN_WORD;
    } else if (unit !== APOSTROPHE || place === OUTSIDE) place = OUTSIDE;
    else {
      const next = at + 1 < length ? text.charCodeAt(at + 1) : 0;
      if (next > 127) return null;
      place = ((ASCII_KINDS[next] as number) & KIND.letter) !== 0 ? BEHIND_APOSTROPHE : OUTSIDE;
    }
  }
  return count;
}

/** Number of words of a text: letters or digits, with apostrophes inside. */
export function countWords(text: string): number {
  return countAsciiWords(text) ?? countWordsWith(text, 0);
}

/** CJK characters count as words of their own, so that length limits mean the same there. */
export function countTokens(text: string): number {
  return countAsciiWords(text) ?? countWordsWith(text, KIND.cjk);
}

/** Number of runs of letters and digits; an apostrophe ends one. */
export function countRuns(text: string): number {
  const { length } = text;
  let count = 0;
  let isInside = false;
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 127) return countAnyRuns(text);
    const isWordlike = ((ASCII_KINDS[unit] as number) & WORDLIKE) !== 0;
    if (isWordlike && !isInside) count += 1;
    isInside = isWordlike;
  }
  return count;
}

function countAnyRuns(text: string): number {
  let count = 0;
  for (let at = nextOf(text, 0, WORDLIKE); at < text.length; at = nextOf(text, runEnd(text, at, WORDLIKE), WORDLIKE)) count += 1;
  return count;
}
