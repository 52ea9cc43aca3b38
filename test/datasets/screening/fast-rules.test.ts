import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BOILERPLATE, isBoilerplate } from '../../../datasets/screening/boilerplate.ts';
import { asciiLetterShare } from '../../../datasets/screening/language.ts';
import { CHARACTER_RUN, hasCharacterRun, symbolShare } from '../../../datasets/screening/noise.ts';
import { countRuns, countTokens, countWords, countWordsBeside, proseOf } from '../../../datasets/screening/row-text.ts';
import { LOWER_CASE_BORDER, SENTENCE_BORDER, sentencesOf } from '../../../datasets/screening/sentences.ts';
import { FAMILIES, memorySignals } from '../../../datasets/screening/signals.ts';
import { hasSolution, solutionShare } from '../../../datasets/screening/solution-in-question.ts';
import { topicOf, TOPICS } from '../../../datasets/screening/topic.ts';
import { DOMAINS } from '../../../schemas/levels.ts';
import { STOP_WORDS, words } from '../../../stages/text/words.ts';

// The rules stand as regular expressions or plain words beside their faster forms: both must say the same of any text.

const DEMO = resolve(import.meta.dirname, '../../../datasets/demo/rows');
const vocabulary = [
  ...new Set(
    ['meddialog.jsonl', 'stackexchange.jsonl', 'apps.jsonl', 'magicoder.csv', 'ultrachat.json'].flatMap((file) =>
      readFileSync(resolve(DEMO, file), 'utf8')
        .replaceAll('\\n', '\n')
        .split(/(?<=\s)/),
    ),
  ),
];
const odd = [
  '\n',
  '\n\n',
  '    x',
  '\t',
  '```\n',
  '`',
  '~~~',
  '|a|b|',
  'http://a.b/c ',
  '’',
  "'s",
  '😀',
  '😀😀😀😀😀😀',
  '𝐉𝐨',
  '漢字',
  '々',
  '〇',
  'É',
  'İ',
  '\u212A',
  '\u2028',
  '\u00A0',
  '\uD83D',
  'aaaaaa',
  '......',
  '!!!!!!',
  '-----',
  '. ',
  '.A',
  '."B',
  '.) "X',
  'ﬁ',
  'Ⅳ',
];
const piece = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...vocabulary) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
const text = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''));
const holds = (check: (text: string) => void): void => fc.assert(fc.property(text, check), { numRuns: 400 });
const matches = (of: string, pattern: RegExp): number => (of.match(pattern) ?? []).length;

describe('the fast form says what the plain rule says', () => {
  it('of words and tokens', () => {
    holds((of) => {
      expect(countWords(of)).toBe(matches(of, /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu));
      expect(countTokens(of)).toBe(matches(of, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu));
      expect(countRuns(of)).toBe(matches(of, /[\p{L}\p{N}]+/gu));
      const content = words(of).filter((word) => !STOP_WORDS.has(word)).length;
      for (const most of [3, 1000]) expect(countWordsBeside(of, STOP_WORDS, most)).toBe(Math.min(most, content));
    });
  });

  it('of sentences', () => {
    holds((of) => {
      for (const item of [of, of.toLowerCase()]) {
        const border = /\p{Lu}/u.test(item) ? SENTENCE_BORDER : LOWER_CASE_BORDER;
        expect(sentencesOf(item)).toEqual(
          item
            .split(border)
            .map((sentence) => sentence.trim())
            .filter((sentence) => sentence !== ''),
        );
      }
    });
  });

  it('of letters, symbols and stuck keys', () => {
    holds((of) => {
      const letters = Array.from(of).filter((character) => /\p{L}/u.test(character));
      const ascii = letters.filter((character) => character < '\u0080').length;
      expect(asciiLetterShare(of)).toBe(letters.length === 0 ? 1 : ascii / letters.length);
      expect(hasCharacterRun(of)).toBe(CHARACTER_RUN.test(proseOf(of)));
      const counted = of.replace(/https?:\/\/\S+/g, '').replace(/[-=_*~#.─]{4,}|^\s*`{3,}.*$/gm, '');
      const units = Array.from({ length: counted.length }, (_, at) => counted.charAt(at)).filter((unit) => unit > ' ');
      const symbols = units.filter((unit) => !/[\p{L}\p{M}\p{N}]/u.test(unit)).length;
      expect(symbolShare(of, 'coding')).toBe(units.length === 0 ? 0 : symbols / units.length);
    });
  });

  it('of courtesy, memory signals and topics', () => {
    holds((of) => {
      for (const sentence of sentencesOf(of))
        expect(isBoilerplate(sentence)).toBe(countRuns(sentence) <= 40 && BOILERPLATE.some((pattern) => pattern.test(sentence)));
      for (const domain of DOMAINS) {
        expect(memorySignals(of, domain)).toEqual(FAMILIES[domain].filter(([, pattern]) => pattern.test(of)).map(([name]) => name));
        const { list, other } = TOPICS[domain];
        expect(topicOf(of, domain)).toBe(list.find(([, pattern]) => pattern.test(of))?.[0] ?? other);
      }
    });
  });

  it('of answers that stand in the question', () => {
    fc.assert(
      fc.property(text, text, fc.nat(10), fc.constantFrom(0.1, 0.5, 0.8, 1), (question, answer, tenths, share) => {
        const given = `${answer.slice(0, (answer.length * tenths) / 10)} ${question}`;
        expect(hasSolution(given, answer, share)).toBe(solutionShare(given, answer) >= share);
      }),
      { numRuns: 400 },
    );
  });
});
