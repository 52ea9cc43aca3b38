import { describe, expect, it } from 'vitest';
import { addedNumbers, criticalTokens, missingCriticalTokens, namesIn } from '../../../stages/checks/critical-tokens.ts';

const missing = (atom: string, block: string, names: readonly string[] = []): readonly string[] =>
  missingCriticalTokens([atom], block, names).flatMap((tokens) => tokens.map(({ value }) => value));

describe('critical tokens', () => {
  it.each([
    ['a unit set apart', 'The screen runs at 120Hz.', 'It runs at 120 Hz.'],
    ['a unit joined', 'The syrup holds 120 mg/5 ml.', 'A syrup of 120mg/5ml is there.'],
    ['a product of numbers', 'A mesh of 100x100 nodes was tried.', 'A mesh of 100 x 100 nodes, or 100×100, was tried.'],
    ['a range in words', 'The user walks 3-4 km.', 'Walks run to three to four km.'],
    ['a range with a long dash', 'The user walks three to four km.', 'Walks of 3–4 km.'],
    ['thousands', 'The town has 12,000 people.', 'There are 12000 people in the town.'],
    ['an ordinal', 'The user plays in the 2nd division.', 'The second division is where the user plays.'],
    ['one unit in three ways', 'The rent is 150 euros a month.', 'Each month 150 euros go to rent.'],
    ['a week ago', 'The user moved a week ago.', 'Last week the user moved.'],
    ['one week', 'The user moved a week ago.', 'The move was 1 week ago.'],
    ['a time of day', 'The train leaves at 7:42.', 'At 7:42 the train leaves.'],
    ['a name with a possessive', "The user likes Lisbon's trams.", 'Trams of Lisbon are liked.'],
    ['a code span without backticks', 'The method is `find(self, k: int)`.', 'It is the method find(self, k: int).'],
    ['an article that is no number', 'The user has a dog and one wish.', 'The dog and the wish are the user’s.'],
    ['a first word that is no name', 'Two children are ill. Their school is closed.', 'There are 2 ill children, and the school is shut.'],
    ['a letter-digit token in another case', 'Notes go into an A5 pad.', 'An a5 pad holds the notes.'],
    ['a compound number word', 'The user is twenty-one with thirty four books.', 'At 21 the user has 34 books.'],
    ['an ordinal that is no unit', 'The user plays a second viola.', 'The second viola is the user’s.'],
    ['a decimal', 'The fever is 39.1 degrees.', 'There is a fever of 39.1 degrees.'],
  ])('finds %s again after honest rewording', (_, atom, block) => {
    expect(missing(atom, block)).toEqual([]);
  });

  it.each([
    ['a number', 'The user walks 3-4 km.', 'The user walks 4 km.', ['3']],
    ['a number word', 'The user has eleven cousins.', 'The user has cousins.', ['11']],
    ['a longer number that holds it', 'The user owns 12 books.', 'The user owns 120 books.', ['12']],
    ['an abbreviation in another case', 'The network learns ADD.', 'Numbers add up in the network.', ['ADD']],
    ['a name', 'The cousin lives in Antwerp.', 'The cousin lives abroad.', ['Antwerp']],
    ['a code span', 'The method is `findAll`.', 'The method is given.', ['findAll']],
    ['a letter-digit token', 'The nickname is Otter9.', 'The nickname is Otter.', ['otter9']],
    ['one week', 'The user moved a week ago.', 'The user moved recently.', ['1']],
  ])('misses %s when it is lost', (_, atom, block, lost) => {
    expect(missing(atom, block)).toEqual(lost);
  });

  it('takes a first word for a name only when it stands capitalised elsewhere', () => {
    expect(missing('Veltamine made the ankles swell.', 'The drug made the ankles swell.')).toEqual([]);
    expect(missing('Veltamine made the ankles swell.', 'The drug made the ankles swell.', ['Veltamine'])).toEqual(['Veltamine']);
  });

  it.each([
    ['The user met Ada in Rome. Then they left.', ['Ada', 'Rome']],
    ['"Hello," said Ben; the I/O was slow.', ['Ben']],
    ['Mirko7 is a nickname of Otto', ['Otto']],
    ['War I ended; the class I device stayed.', []],
  ])('names of %s', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it('lists each token once with its kind', () => {
    expect(criticalTokens('The TV of Ada shows `a b` at 60 and 60 on B12.')).toEqual([
      { kind: 'code', value: 'a b' },
      { kind: 'number', value: '60' },
      { kind: 'mixed', value: 'b12' },
      { kind: 'caps', value: 'TV' },
      { kind: 'name', value: 'Ada' },
    ]);
  });

  it('names numbers that no atom holds', () => {
    expect(addedNumbers(['The user has three cats.', 'It is a 2nd home.'], 'For 3 cats it is home 2 since 1999.')).toEqual(['1999']);
  });
});
