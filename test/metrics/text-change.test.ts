import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedLines, changedWords, compareWords, countWords } from '../../metrics/text-change.ts';

const joined = (changes: ReturnType<typeof compareWords>, without: 'added' | 'removed'): string =>
  changes
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('');

test.each<[string, string, string, number, number]>([
  ['nothing', 'the same words', 'the same words', 0, 0],
  ['one word', 'take 5 mg daily', 'take 10 mg daily', 1, 1],
  ['an insertion', 'I run', 'I often run far', 0, 2],
  ['a removal', 'I often run far', 'I run', 2, 0],
  ['everything', 'abc', 'xyz', 1, 1],
  ['from nothing', '', 'two words', 0, 2],
  ['to nothing', 'two words', '', 2, 0],
  ['letters of other scripts', 'grün und weiß', 'grün und schwarz', 1, 1],
])('word-level change: %s', (_, before, after, removed, added) => {
  expect(changedWords(compareWords(before, after))).toEqual({ removed, added });
});

test('removed and kept words give the old text back, added and kept words the new one; neighbours are of different kinds', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '.', '\n', 'long word '), { maxLength: 25 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = compareWords(before, after);
      expect(joined(changes, 'added')).toBe(before);
      expect(joined(changes, 'removed')).toBe(after);
      changes.forEach((change, index) => expect(change.kind).not.toBe(changes[index + 1]?.kind));
    }),
  );
});

test('texts too long for an exact comparison are still given back whole', () => {
  const before = Array.from({ length: 2500 }, (_, n) => `a${n}`).join(' ');
  const after = Array.from({ length: 2500 }, (_, n) => `b${n}`).join(' ');
  const changes = compareWords(`same ${before} end`, `same ${after} end`);
  expect(joined(changes, 'added')).toBe(`same ${before} end`);
  expect(joined(changes, 'removed')).toBe(`same ${after} end`);
});

test.each<[string, string, number]>([
  ['a\nb\nc', 'a\nB\nc', 1],
  ['a\nb\nc', 'a\nb\nc', 0],
  ['a\nc', 'a\nb\nc', 1],
  ['a', 'b\nc', 2],
])('changed lines of %j and %j', (before, after, lines) => expect(changedLines(before, after)).toBe(lines));

test('words are counted as runs of letters and digits', () => expect(countWords("it's 3.5 mg")).toBe(5));
