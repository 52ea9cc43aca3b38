import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PatternError } from '../../../datasets/pattern-set/parse-pattern.ts';
import { createPatternSet } from '../../../datasets/pattern-set/pattern-set.ts';

/** Regular expressions over a small alphabet, with everything the rules use. */
const ATOMS = [
  'a',
  'b',
  'c',
  ' ',
  '.',
  'x',
  '\\d',
  '\\w',
  '\\s',
  '[^ab]',
  '[a-c]',
  '\\b',
  '\\B',
  '-',
  '7',
  '^',
  '$',
  '\\.',
  '\\n',
  '\\u2028',
];
const { source } = fc.letrec<{ source: string }>((tie) => {
  const two = fc.tuple(tie('source'), tie('source'));
  return {
    source: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...ATOMS),
      two.map(([a, b]) => `${a}${b}`),
      two.map(([a, b]) => `(?:${a}|${b})`),
      two.map(([a, b]) => `(?=${a})${b}`),
      two.map(([a, b]) => `(?<!${a})${b}`),
      two.map(([a, b]) => `(${a})${b}(?:\\1)`),
      fc.tuple(tie('source'), fc.constantFrom('*', '+?', '?', '{0,2}', '{1,3}', '{2}', '{0,9}')).map(([a, count]) => `(?:${a})${count}`),
    ),
  };
});
const pattern = fc.tuple(source, fc.constantFrom('', 'i', 'm', 'im', 'gi', 'u', 'gu')).map(([text, flags]) => new RegExp(text, flags));
const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'A', 'B', ' ', '\n', '\r', '.', '-', '7', 'é', 'x', '_', '\u2028', '😀', '\uD83D', '\u212A', 'ſ'), {
    maxLength: 24,
  })
  .map((parts) => parts.join(''));

it('says of every pattern what the expression itself says, and never counts fewer ends than it has matches', () => {
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), fc.array(text, { minLength: 1, maxLength: 6 }), (patterns, texts) => {
      const set = createPatternSet(patterns);
      for (const item of texts) {
        const { has, ends } = set.scan(item);
        expect(patterns.map((_, number) => has(number))).toEqual(patterns.map((one) => item.search(one) >= 0));
        for (const [number, { source: rule, flags }] of patterns.entries()) {
          const matches = [...item.matchAll(new RegExp(rule, `${flags.replace('g', '')}g`))].filter(([match]) => match !== '');
          expect(ends(number) ?? Infinity).toBeGreaterThanOrEqual(matches.length);
        }
      }
    }),
    { numRuns: 500 },
  );
});

it('counts words exactly', () => {
  const { ends, has } = createPatternSet([/\b(?:the|and)\b/gi, /\bso that\b/i]).scan('The cat and the other dog, so\nthat andy rests.');
  expect([ends(0), ends(1), has(1)]).toEqual([3, 0, false]);
});

it('says whether matches end at so many places at least', () => {
  const set = createPatternSet([/\bthe\b/i, /o/]);
  for (const [text, ends] of [
    ['', 0],
    ['the', 1],
    ['The ox, the ox', 4],
    ['another', 1],
    ['none: a b', 1],
  ] as const)
    for (let least = 0; least < 6; least += 1) expect(set.hasEnds(text, least), `${text} ${least}`).toBe(ends >= least);
});

it('answers by the expressions alone when a text would need too many states', () => {
  const words = Array.from({ length: 14 }, (_, number) => `w${String.fromCharCode(97 + number)}`);
  const set = createPatternSet(words.map((word) => new RegExp(String.raw`\b${word}\b[^.]*\bend\b`, 'i')));
  let seed = 1;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  const tangled = Array.from({ length: 40_000 }, () => (next() % 5 === 0 ? '.' : words[next() % words.length])).join(' ');
  const { has, ends } = set.scan(`${tangled}. wa end`);
  expect(ends(0)).toBeNull();
  expect([has(0), has(1)]).toEqual([true, false]);
});

it.each([new RegExp('a', 'v'), /a/iu, /é/i, /(?<name>a)/, /[^\p{L}]/u])(
  'refuses %s, which it could not read without losing matches',
  (refused) => {
    expect(() => createPatternSet([refused])).toThrow(PatternError);
  },
);
