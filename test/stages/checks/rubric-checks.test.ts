import { describe, expect, it } from 'vitest';
import type { ExampleRecord, MemoryAtom } from '../../../schemas/record.ts';
import { OWN_SUPPORT, supportedAtoms, supportShare, swappedWith } from '../../../stages/checks/rubric-support.ts';
import { knownValues, strayValues, valuesOf } from '../../../stages/checks/rubric-values.ts';
import { contentStems } from '../../../stages/text/words.ts';
import { skipReason, workedRecords } from '../worked-records.ts';

type Texts = readonly { readonly key: string; readonly text: string }[];

function share(atom: string, rubric: string, query: string): number | null {
  return supportedAtoms([{ key: 's1', text: atom }], query).map((ready) => supportShare(ready, new Set(contentStems(rubric))))[0] ?? null;
}

function swap(key: string, rubric: string, atoms: Texts, query = ''): string | null {
  return swappedWith(key, new Set(contentStems(rubric)), supportedAtoms(atoms, query));
}

describe('rubric support', () => {
  it.each([
    ['all words', 'The user keeps bees.', 'Names the bees the user keeps.', '', 1],
    ['half of the words', 'The user keeps bees.', 'The answer mentions a bee.', '', 0.5],
    ['words of the query do not count', 'The user keeps bees.', 'Keeps to the point.', 'How do I keep warm?', 0],
    ['nothing left to look for', 'The user keeps it.', 'Anything.', 'What to keep?', null],
  ])('%s', (_, atom, rubric, query, expected) => {
    expect(share(atom, rubric, query)).toBe(expected);
  });

  it('names the atom that a rubric was written for by mistake', () => {
    const atoms = [
      { key: 's1', text: 'The user keeps bees on a roof.' },
      { key: 's2', text: 'The user sells candles at a fair.' },
    ];
    const short = [...atoms, { key: 's3', text: 'The user likes plums.' }];
    expect(swap('s1', 'Says once that candles are sold at the fair.', atoms)).toBe('s2');
    expect(swap('s2', 'Says once that candles are sold at the fair.', atoms)).toBeNull();
    expect(swap('s1', 'Bees are a likely cause.', short)).toBeNull();
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
    expect(strayValues(rubric, knownValues(allowed))).toEqual(stray);
  });
});

function textOf(atom: MemoryAtom): string {
  const { observable_checks, ...fields } = atom.usage_rubric;
  return [...Object.values(fields), ...observable_checks].join(' ');
}

function atomsOf(record: ExampleRecord): Texts {
  return record.memories.map(({ atom_id: key, text }) => ({ key, text }));
}

describe.skipIf(skipReason !== null)(`the worked examples (${skipReason ?? 'present'})`, () => {
  const records = skipReason === null ? workedRecords() : [];

  it('support their own atom, and no other more, in all 82 rubrics; no value is stray', () => {
    expect(records.flatMap(({ memories }) => memories)).toHaveLength(82);
    for (const record of records) {
      for (const atom of record.memories) {
        expect(share(atom.text, textOf(atom), record.question) ?? 1).toBeGreaterThanOrEqual(OWN_SUPPORT);
        expect(swap(atom.atom_id, textOf(atom), atomsOf(record), record.question)).toBeNull();
        const allowed = atom.u_star === 'A' ? record.memories.map(({ text }) => text) : [atom.text];
        expect(strayValues(textOf(atom), knownValues([...allowed, record.question]))).toEqual([]);
      }
    }
  });

  it('show at least 95 percent of the swaps planted between two of their atoms', () => {
    const swaps = records.flatMap((record) =>
      record.memories.flatMap((own) =>
        record.memories.filter((other) => other !== own).map((other) => swap(own.atom_id, textOf(other), atomsOf(record), record.question)),
      ),
    );
    expect(swaps.filter((key) => key !== null).length / swaps.length).toBeGreaterThanOrEqual(0.95);
  });
});
