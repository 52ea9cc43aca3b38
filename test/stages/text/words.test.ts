import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { words } from '../../../stages/text/words.ts';

test.each([
  ["Don't  re-use the USER'S e-mail #2!", ["don't", 're', 'use', 'the', "user's", 'e', 'mail', '2']],
  ['’tis Müller’s naïve plan', ['tis', "müller's", 'naïve', 'plan']],
  ['', []],
  ['--- ...', []],
])('words of %j', (text, expected) => {
  expect(words(text)).toEqual(expected);
});

test('a plain text has the same words read by itself and beside signs that are not ASCII', () => {
  assert(
    property(string({ unit: 'binary-ascii' }), (text) => {
      expect(words(`${text} é`)).toEqual([...words(text), 'é']);
    }),
  );
});
