import { describe, expect, it } from 'vitest';
import { distractorBreaches, givesAwayBreach } from '../../../stages/checks/distractor-text.ts';
import { compared, overlaps, repeats } from '../../../stages/checks/near-duplicate.ts';
import { isOneSentence } from '../../../stages/checks/one-sentence.ts';
import { holdsAsAsked, wordTargetProblem } from '../../../stages/checks/word-target.ts';

describe('one sentence', () => {
  it.each([
    ['The user rows at 7.30 with Dr. Lind of St. Anne.', true],
    ['The user pays 3.50 euros, i.e. too much!', true],
    ['The user runs `a. B` at home.', true],
    ['The user lives near No. 12 of J. Verne Street.', true],
    ['The user rows. The cousin sings.', false],
    ['The user rows!\nOften.', false],
    ['Does the user row? Yes.', false],
    ['', false],
  ])('%j: %s', (text, one) => {
    expect(isOneSentence(text)).toBe(one);
  });
});

describe('near duplicates', () => {
  it.each([
    ['The user paints wooden ducks.', 'Wooden ducks are painted by the user.', true],
    ['The user paints wooden ducks.', 'the user paints: wooden ducks', true],
    ['The user paints wooden ducks.', 'The user sells wooden ducks at fairs.', false],
    ['The user has it.', 'A cousin of the user has that.', false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(repeats(compared(a), compared(b))).toBe(same);
    expect(repeats(compared(b), compared(a))).toBe(same);
  });

  it('overlap when one atom holds all of the other, which is no repetition', () => {
    const part = compared('The user paints ducks.');
    const whole = compared('The user paints ducks and geese for a large toy fair in spring.');
    expect([repeats(part, whole), overlaps(part, whole), overlaps(whole, part)]).toEqual([false, true, true]);
    expect(repeats(compared('It is so.'), compared('He has it.'))).toBe(false);
  });
});

describe('slots as asked', () => {
  it.each([
    [12, 12, null],
    [16, 12, null],
    [17, 12, 'off'],
    [25, 12, 'far'],
    [5, 12, 'far'],
    [6, 12, 'off'],
    [27, 20, null],
  ])('%i words for %i: %s', (count, target, problem) => {
    expect(wordTargetProblem('word '.repeat(count), target)).toBe(problem);
  });

  it.each([
    ['At 7 the user rows.', 'number', true],
    ['At seven the user rows.', 'number', false],
    ['At 7 the user rows.', 'neither', false],
    ['The user met Ada.', 'name', true],
  ] as const)('%j for %s: %s', (text, holds, fits) => {
    expect(holdsAsAsked(text, holds)).toBe(fits);
  });
});

describe('distractor texts', () => {
  const bounds = { leftOut: ['The user has seven grey rabbits.'], requestTerms: ['rabbits'] };
  it.each([
    ['The user feeds a goat.', []],
    ['The user quotes "I am late" on a mug.', []],
    ['The user keeps World War I maps.', []],
    ['My cousin feeds a goat.', ['first_person']],
    ['The user rows. My cousin sings.', ['not_one_sentence', 'first_person']],
  ])('%j: %j', (text, rules) => {
    expect(distractorBreaches(text, 'x1', bounds).map(({ rule }) => rule)).toEqual(rules);
  });

  it('may not bring back what was left out', () => {
    const broken = distractorBreaches('Seven grey rabbits live with the user.', 'x1', { ...bounds, requestTerms: [] });
    expect(broken).toMatchObject([{ rule: 'left_out_fact', path: 'x1' }]);
  });

  it.each([
    ['none', 0],
    [' None. ', 0],
    ['none but s1', 1],
    ['s1', 1],
    ['', 1],
  ])('gives_away %j breaks %i rules', (value, count) => {
    expect(givesAwayBreach(value, 'x1')).toHaveLength(count);
  });
});
