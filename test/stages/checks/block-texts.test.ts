import { describe, expect, it } from 'vitest';
import { strayBenchmarkWords } from '../../../stages/checks/benchmark-words.ts';
import { COVERAGE_REPAIR, lostAtoms } from '../../../stages/checks/block-coverage.ts';
import { addedNumbers, missingCriticalTokens } from '../../../stages/checks/critical-tokens.ts';
import { lengthProblem } from '../../../stages/checks/length-band.ts';
import { paragraphProblem } from '../../../stages/checks/one-paragraph.ts';
import { skipReason, workedBlocks } from '../worked-records.ts';

describe('one paragraph', () => {
  it.each([
    ['The user rows. A cousin paints.', null],
    ['Version 2. of the plan was kept, and the pier - an old one - stayed.', null],
    ['The 1) key is worn.', null],
    ['The user types `a\nb` often.', null],
    ['First line.\nSecond line.', 'line_break'],
    ['- The user rows.', 'list_marker'],
    ['1. The user rows.', 'list_marker'],
    ['The user: 1) rows; 2) paints.', 'list_marker'],
    ['• rows • paints', 'list_marker'],
    ['a) The user rows.', 'list_marker'],
  ])('%j: %s', (text, problem) => {
    expect(paragraphProblem(text)).toBe(problem);
  });
});

describe('length band', () => {
  const atoms = ['x'.repeat(60), 'x'.repeat(40)];
  it.each([
    [44, 'too_short'],
    [45, null],
    [235, null],
    [236, 'too_long'],
  ])('%i characters for 100: %s', (length, problem) => {
    expect(lengthProblem(atoms, 'x'.repeat(length))).toBe(problem);
  });
});

describe('benchmark words', () => {
  it.each([
    ['The user likes trees.', 'This distractor says the user likes trees.', ['distractor']],
    ['The user reads about the atom.', 'Atoms are what the user reads about.', []],
    ['The water level fell.', 'The level of the water fell at the benchmark.', ['benchmark']],
    ['The user is fit.', 'The user levelled an atomic clock.', []],
    ['The user is fit.', 'memory id 3: the user is fit', ['memory id']],
  ])('%j in %j', (atom, block, stray) => {
    expect(strayBenchmarkWords([atom], block)).toEqual(stray);
  });
});

describe('coverage of each atom', () => {
  it('names the lost atom by its place and keeps rewordings', () => {
    const atoms = ['The user repairs old bicycles in a shed.', 'A cousin of the user sings in a choir.'];
    expect(lostAtoms(atoms, 'Old bicycles are repaired in a shed by the user.', COVERAGE_REPAIR)).toEqual([{ n: 2, share: 0 }]);
    expect(lostAtoms(atoms, "Repairing old bicycles in a shed; the cousin's singing is in a choir.", COVERAGE_REPAIR)).toEqual([]);
  });
});

describe.skipIf(skipReason !== null)(`the worked examples (${skipReason ?? 'present'})`, () => {
  const blocks = skipReason === null ? workedBlocks().filter(({ atoms }) => atoms.length > 1) : [];

  it('raise no alarm in any of their 20 blocks of several atoms', () => {
    expect(blocks).toHaveLength(20);
    for (const { atoms, memoryText } of blocks) {
      expect(missingCriticalTokens(atoms, memoryText).flat()).toEqual([]);
      expect(lostAtoms(atoms, memoryText, 0.8 - 1e-9)).toEqual([]);
      expect([lengthProblem(atoms, memoryText), paragraphProblem(memoryText)]).toEqual([null, null]);
      expect([...strayBenchmarkWords(atoms, memoryText), ...addedNumbers(atoms, memoryText)]).toEqual([]);
    }
  });

  it('show every one of 76 atoms as lost when it is left out', () => {
    const dropped = blocks.flatMap(({ atoms }) => atoms.map((atom) => ({ atom, rest: atoms.filter((other) => other !== atom).join(' ') })));
    expect(dropped).toHaveLength(76);
    expect(dropped.filter(({ atom, rest }) => lostAtoms([atom], rest, COVERAGE_REPAIR).length === 0)).toEqual([]);
  });
});
