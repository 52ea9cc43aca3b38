import { describe, expect, it } from 'vitest';
import type { ExampleRecord, MemoryAtom } from '../../../schemas/record.ts';
import { OWN_SUPPORT, rubricSupport, swappedWith } from '../../../stages/checks/rubric-support.ts';
import { strayValues, valuesOf } from '../../../stages/checks/rubric-values.ts';
import { skipReason, workedRecords } from '../worked-records.ts';

describe('rubric support', () => {
  it.each([
    ['all words', 'The user keeps bees.', 'Names the bees the user keeps.', '', 1],
    ['half of the words', 'The user keeps bees.', 'The answer mentions a bee.', '', 0.5],
    ['words of the query do not count', 'The user keeps bees.', 'Keeps to the point.', 'How do I keep warm?', 0],
    ['nothing left to look for', 'The user keeps it.', 'Anything.', 'What to keep?', null],
  ])('%s', (_, atom, rubric, query, share) => {
    expect(rubricSupport(atom, rubric, query)).toBe(share);
  });

  it('names the atom that a rubric was written for by mistake', () => {
    const atoms = [
      { key: 's1', text: 'The user keeps bees on a roof.' },
      { key: 's2', text: 'The user sells candles at a fair.' },
    ];
    expect(swappedWith({ key: 's1', text: atoms[0]?.text ?? '' }, 'Says once that candles are sold at the fair.', atoms, '')).toBe('s2');
    const short = [...atoms, { key: 's3', text: 'The user likes plums.' }];
    expect(swappedWith({ key: 's1', text: atoms[0]?.text ?? '' }, 'Bees are a likely cause.', short, '')).toBeNull();
    expect(swappedWith({ key: 's2', text: atoms[1]?.text ?? '' }, 'Says once that candles are sold at the fair.', atoms, '')).toBeNull();
  });
});

describe('values of a rubric', () => {
  it.each([
    ['a weight of 18kg and 1,000 steps', ['18', '1000']],
    ['`find(arr, k)` in snake_case and camelCase', ['find', 'arr', 'k', 'snake_case', 'camelcase']],
    ['an MRI or two MRIs, B12, NOT this OR that', ['mri', 'b12']],
    ['one remark, two reasons, level A', []],
  ])('%j', (text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });

  it.each([
    ['a computed result', 'Gives 270 mg.', ['The child weighs 18 kg.', 'How much?'], ['270']],
    ['an amount in the atom', 'Computed from 18 kg.', ['The child weighs 18kg.'], []],
    ['nought and one', 'Starts at 0 or 1.', ['No number.'], []],
    ['identifiers of a signature', 'Names `arr` and `k`.', ['It is `find(self, arr: List[int], k: int)`.'], []],
    ['an abbreviation of its own', 'Offers an MRI.', ['The user had a scan.'], ['mri']],
    ['a name of the query', 'Asks for HDMI.', ['Which hdmi cable?'], []],
  ])('%s', (_, rubric, allowed, stray) => {
    expect(strayValues(rubric, allowed)).toEqual(stray);
  });
});

function textOf(atom: MemoryAtom): string {
  const { observable_checks, ...fields } = atom.usage_rubric;
  return [...Object.values(fields), ...observable_checks].join(' ');
}

function atomsOf(record: ExampleRecord): readonly { readonly key: string; readonly text: string }[] {
  return record.memories.map(({ atom_id: key, text }) => ({ key, text }));
}

describe.skipIf(skipReason !== null)(`the worked examples (${skipReason ?? 'present'})`, () => {
  const records = skipReason === null ? workedRecords() : [];

  it('support their own atom, and no other more, in all 82 rubrics; no value is stray', () => {
    expect(records.flatMap(({ memories }) => memories)).toHaveLength(82);
    for (const record of records) {
      for (const atom of record.memories) {
        expect(rubricSupport(atom.text, textOf(atom), record.question) ?? 1).toBeGreaterThanOrEqual(OWN_SUPPORT);
        expect(swappedWith({ key: atom.atom_id, text: atom.text }, textOf(atom), atomsOf(record), record.question)).toBeNull();
        const allowed = atom.u_star === 'A' ? record.memories.map(({ text }) => text) : [atom.text];
        expect(strayValues(textOf(atom), [...allowed, record.question])).toEqual([]);
      }
    }
  });

  it('show at least 95 percent of the swaps planted between two of their atoms', () => {
    const swaps = records.flatMap((record) =>
      record.memories.flatMap((own) =>
        record.memories
          .filter((other) => other !== own)
          .map((other) => swappedWith({ key: own.atom_id, text: own.text }, textOf(other), atomsOf(record), record.question)),
      ),
    );
    expect(swaps.filter((key) => key !== null).length / swaps.length).toBeGreaterThanOrEqual(0.95);
  });
});
