import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { totalsInRatio } from '../../datasets/largest-remainder.ts';
import { groupsOf } from '../../datasets/groups.ts';
import { splitExamples, SplitError, type SplitItem } from '../../datasets/splits.ts';

const VERBS = ['compare', 'explain', 'choose', 'repair', 'plan', 'measure', 'store', 'clean', 'sort', 'label'];
const THINGS = ['bicycles', 'curtains', 'ladders', 'teapots', 'printers', 'gardens', 'invoices', 'violins', 'tents', 'maps'];

/** Queries no two of which are near one another: each holds its number in several places. */
function queryOf(number: number): string {
  const [verb, thing] = [VERBS[number % 10], THINGS[Math.floor(number / 10) % 10]];
  return `How do I ${verb} ${thing} q${number} when w${number} comes first x${number} and then y${number} follows z${number}?`;
}

function item(number: number, over: Partial<SplitItem> = {}): SplitItem {
  const id = number.toString(16).padStart(16, '0');
  return {
    id,
    sourceRow: `set:train:${number}`,
    groupKey: `set:${number}`,
    query: queryOf(number),
    domain: ['health', 'general', 'coding'][number % 3] ?? '',
    source: `source-${number % 4}`,
    densityLevel: 1 + (number % 3),
    ...over,
  };
}

const manyItems = fc
  .array(fc.record({ group: fc.nat(30), joined: fc.boolean() }), { minLength: 1, maxLength: 80 })
  .map((list) => list.map(({ group, joined }, at) => item(at, joined ? { groupKey: `joined:${group}` } : {})));

function twoParts(n: number, test: number): { name: string; total: number }[] {
  return [
    { name: 'train', total: n - test },
    { name: 'test', total: test },
  ];
}

function trySplit(items: readonly SplitItem[], testTotal: number, keep?: ReadonlyMap<string, string>): ReadonlyMap<string, string> | null {
  try {
    return splitExamples(items, twoParts(items.length, testTotal), { seed: 's', ...(keep === undefined ? {} : { keep }) });
  } catch (error) {
    if (error instanceof SplitError && error.code === 'no_exact_choice') return null;
    throw error;
  }
}

describe('splitExamples', () => {
  test('gives exact totals, keeps groups whole and does not depend on the order of the items', () => {
    let made = 0;
    fc.assert(
      fc.property(manyItems, fc.double({ min: 0, max: 1, noNaN: true }), (items, share) => {
        const wanted = Math.floor(items.length * share);
        const split = trySplit(items, wanted);
        if (split === null) return;
        made += 1;
        expect([...split.values()].filter((name) => name === 'test')).toHaveLength(wanted);
        for (const group of groupsOf(items)) expect(new Set(group.map(({ id }) => split.get(id))).size).toBe(1);
        expect(trySplit([...items].reverse(), wanted)).toEqual(split);
      }),
      { numRuns: 60 },
    );
    expect(made).toBeGreaterThan(20);
  });

  test('keeps every row of an earlier release where it was when the dataset grows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 60 }), fc.integer({ min: 0, max: 60 }), (before, added) => {
        const items = Array.from({ length: before + added }, (_, at) => item(at));
        const earlier = splitExamples(items.slice(0, before), twoParts(before, Math.round(before / 10)), { seed: 'a' });
        const total = totalsInRatio(items.length, { train: 9, test: 1 });
        const later = splitExamples(items, twoParts(items.length, Math.max(total.test, Math.round(before / 10))), {
          seed: 'b',
          keep: earlier,
        });
        for (const [id, part] of earlier) expect(later.get(id)).toBe(part);
      }),
      { numRuns: 40 },
    );
  });

  test('takes each stratum its share, within one row, when all groups are single', () => {
    const items = Array.from({ length: 360 }, (_, at) => item(at));
    const split = splitExamples(items, twoParts(360, 36), { seed: 's' });
    const strata = new Map<string, number>();
    for (const { id, domain, source, densityLevel } of items) {
      const key = `${domain} ${source} ${densityLevel}`;
      strata.set(key, (strata.get(key) ?? 0) + (split.get(id) === 'test' ? 1 : 0));
    }
    expect(strata.size).toBe(12);
    for (const count of strata.values()) expect(count).toBe(3);
  });

  test('ties near-duplicate queries, equal source rows and equal group keys together', () => {
    const base = Array.from({ length: 40 }, (_, at) => item(at));
    const near = item(100, { query: queryOf(1).replace('How do I', 'So how do I') });
    const row = item(101, { sourceRow: 'set:train:2' });
    const bridge = item(102, { sourceRow: 'set:train:2', groupKey: 'set:3' });
    const items = [...base, near, row, bridge];
    const sizes = groupsOf(items).map((group) => group.length);
    expect(sizes.filter((size) => size > 1).sort((a, b) => a - b)).toEqual([2, 4]);
  });

  test('finds the exact total where taking groups in order of rank falls short', () => {
    const items = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2].map((group, at) =>
      item(at, { groupKey: `g${group}`, domain: 'health', source: 's', densityLevel: 1 }),
    );
    const split = splitExamples(items, twoParts(11, 5), { seed: 's' });
    expect([...split.values()].filter((name) => name === 'test')).toHaveLength(5);
  });

  test.each([
    ['totals that do not sum up', [item(1), item(2)], twoParts(3, 1), undefined, 'totals'],
    [
      'a total that whole groups cannot give',
      [item(1, { groupKey: 'g' }), item(2, { groupKey: 'g' })],
      twoParts(2, 1),
      undefined,
      'no_exact_choice',
    ],
    [
      'a new row that ties train to test',
      [item(1), item(2), item(3, { sourceRow: 'set:train:1', groupKey: 'set:2' })],
      twoParts(3, 1),
      new Map([
        [item(1).id, 'train'],
        [item(2).id, 'test'],
      ]),
      'keep_conflict',
    ],
    ['more kept than asked', [item(1), item(2)], twoParts(2, 0), new Map([[item(1).id, 'test']]), 'keep_exceeds'],
    ['a kept part nobody asks for', [item(1), item(2)], twoParts(2, 1), new Map([[item(1).id, 'validation']]), 'keep_conflict'],
  ] as const)('refuses %s', (_, items, parts, keep, code) => {
    expect(() => splitExamples(items, parts, { seed: 's', ...(keep === undefined ? {} : { keep }) })).toThrow(
      expect.objectContaining({ code }),
    );
  });

  test('splits into more than two parts, as for downstream data', () => {
    const items = Array.from({ length: 135 }, (_, at) => item(at));
    const totals = totalsInRatio(135, { validation: 1500, cold_start: 4000, rl: 8000 });
    expect(totals).toEqual({ validation: 15, cold_start: 40, rl: 80 });
    const split = splitExamples(
      items,
      Object.entries(totals).map(([name, total]) => ({ name, total })),
      { seed: 's' },
    );
    for (const [name, total] of Object.entries(totals)) expect([...split.values()].filter((part) => part === name)).toHaveLength(total);
  });
});
