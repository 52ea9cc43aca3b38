import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveQuote } from '../../../stages/checks/grounding.ts';

const found: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['as it stands', 'I take 5 mg daily.', 'take 5 mg', ['take 5 mg']],
  ['another case', 'She weighs 18 KG now', 'weighs 18 kg', ['weighs 18 KG']],
  ['a fraction that NFKC widens', 'add ½ cup of oat milk', '1⁄2 cup', ['½ cup']],
  ['after a fraction', 'add ½ cup of oat milk', 'oat milk', ['oat milk']],
  ['a ligature', 'the ﬁnal oﬃce visit', 'final office visit', ['ﬁnal oﬃce visit']],
  ['an ellipsis sign in the source', 'well… it stopped again', 'well... it stopped', ['well… it stopped']],
  ['a no-break space', 'about 3\u00a0weeks ago', 'about 3 weeks', ['about 3\u00a0weeks']],
  ['after an emoji', 'ok 👩‍⚕️ said: take two tablets', 'take two tablets', ['take two tablets']],
  ['an emoji inside', 'great 😀 news today', 'great 😀 news', ['great 😀 news']],
  ['CRLF', 'first line\r\nsecond line', 'first line second line', ['first line\r\nsecond line']],
  ['curly quotes', 'he said “no” to it', 'he said "no" to it', ['he said “no” to it']],
  ['an apostrophe', 'I can’t sleep', "can't sleep", ['can’t sleep']],
  ['dashes', 'aged 30–40 years — roughly', 'aged 30-40 years - roughly', ['aged 30–40 years — roughly']],
  ['an escaped line break', 'step one\nstep two', 'step one\\nstep two', ['step one\nstep two']],
  ['escaped quotes', 'print("hello")', 'print(\\"hello\\")', ['print("hello")']],
  ['decomposed accents', 'cafe\u0301 au lait', 'caf\u00e9 au lait', ['cafe\u0301 au lait']],
  ['a full stop the model added', 'weighs 18 kg and walks', 'weighs 18 kg.', ['weighs 18 kg']],
  ['quote marks the model added', 'my boiler lost pressure', '"boiler lost pressure"', ['boiler lost pressure']],
  ['a zero-width space', 'type\u200bscript strict', 'typescript strict', ['type\u200bscript strict']],
  [
    'an ellipsis in the quote',
    'I moved to Bergen in spring and since then I cycle to work',
    'I moved to Bergen ... I cycle to work',
    ['I moved to Bergen', 'I cycle to work'],
  ],
  ['whole words before parts of words', 'heart art', 'art', ['art']],
  ['a sharp s', 'in der Hauptstraße links', 'HAUPTSTRASSE', ['Hauptstraße']],
];

test.each(found)('a quote is found: %s', (_name, text, quote, slices) => {
  expect(resolveQuote(text, quote)?.map((range) => text.slice(range.start, range.end))).toEqual(slices);
});

const missing: readonly (readonly [string, string, string])[] = [
  ['another number', 'I take 5 mg daily', 'take 50 mg'],
  ['a part of a word', 'the heart beats', 'art'],
  ['empty', 'anything', ''],
  ['punctuation only', 'what?! really?!', '?!'],
  ['a single letter', 'a plan', 'a'],
  ['fragments in the wrong order', 'I moved to Bergen and now cycle to work', 'now cycle to work ... I moved to Bergen'],
  ['fragments too short to prove anything', 'I like tea and coffee', 'tea ... coffee'],
  ['a paraphrase', 'I have been taking it for weeks', 'the user takes it'],
];

test.each(missing)('a quote is not found: %s', (_name, text, quote) => {
  expect(resolveQuote(text, quote)).toBeNull();
});

test('any cut of any text resolves to a place whose folded text is the cut', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'B', ' ', '½', 'ﬁ', '…', '\u00a0', '😀', '\r\n', '—', '“', '9', 'é', 'e\u0301', '\\', 'n'),
  });
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), (value, from, length) => {
      const cut = value.slice(from % (value.length + 1), (from % (value.length + 1)) + (length % 30));
      for (const range of resolveQuote(value, cut) ?? []) {
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThan(range.start);
        expect(range.end).toBeLessThanOrEqual(value.length);
        expect(
          resolveQuote(value.slice(range.start, range.end), cut) ?? resolveQuote(cut, value.slice(range.start, range.end)),
        ).not.toBeNull();
      }
    }),
    { numRuns: 300 },
  );
});

test('a sentence cut at word borders is always found', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'e', 'r', 't', 'ß', 'ﬁ', '½', 'É'), minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 4, maxLength: 12 }), fc.nat(), (list, at) => {
      const from = at % (list.length - 2);
      const quote = list
        .slice(from, from + 3)
        .join('  ')
        .toUpperCase();
      expect(resolveQuote(list.join('\u00a0'), quote)).not.toBeNull();
    }),
    { numRuns: 200 },
  );
});
