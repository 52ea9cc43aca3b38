import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactNearQueryIndex, withoutAnswerContract } from '../../../stages/invariants/near-query.ts';

/** Jaccard by the definition: sets of word n-grams, one of the whole text when it is shorter. */
function slowJaccard(a: readonly string[], b: readonly string[], size: number): number {
  const grams = (list: readonly string[]): Set<string> =>
    new Set(Array.from({ length: Math.max(1, list.length - size + 1) }, (_, at) => list.slice(at, at + size).join(' ')));
  const [left, right] = [grams(a), grams(b)];
  const shared = [...left].filter((gram) => right.has(gram)).length;
  return shared / (left.size + right.size - shared);
}

function slowNear(a: readonly string[], b: readonly string[], threshold: number): boolean {
  if (slowJaccard(a, b, 5) >= threshold) return true;
  return Math.min(a.length, b.length) < 12 && slowJaccard(a, b, 3) >= threshold;
}

const wordList = fc.array(fc.constantFrom<string[]>('ask', 'bread', 'cat', 'dune', 'elm', 'fern'), { minLength: 1, maxLength: 26 });
/** A query and a lightly edited copy, so that pairs fall on both sides of the threshold. */
const pair = fc
  .tuple(wordList, fc.array(fc.tuple(fc.nat(25), fc.constantFrom('ask', 'gulf')), { maxLength: 2 }))
  .map(([list, edits]): [string[], string[]] => {
    const copy = [...list];
    for (const [at, word] of edits) copy.splice(at % (copy.length + 1), at % 2, word);
    return [list, copy];
  });

describe('exactNearQueryIndex', () => {
  test.each([0.5, 0.8, 0.95])('finds exactly the pairs the definition finds at %f', (threshold) => {
    const seen = { near: 0, far: 0 };
    fc.assert(
      fc.property(pair, ([a, b]) => {
        if (b.length === 0) return;
        const index = exactNearQueryIndex(threshold);
        index.add('other', 'zebra yak xerus wolf vole urchin toad snail rat quail pig owl newt');
        index.add('a', a.join(' '));
        const near = slowNear(a, b, threshold);
        seen[near ? 'near' : 'far'] += 1;
        expect(index.matches(b.join(', ').toUpperCase())).toEqual(near ? ['a'] : []);
      }),
      { numRuns: 400 },
    );
    expect(Math.min(seen.near, seen.far)).toBeGreaterThan(20);
  });

  test.each([
    ['Which sort is stable? Answer in prose without code blocks.', 'Which sort is stable?'],
    ['Why does it stop? Explain it in prose and name identifiers where they matter.', 'Why does it stop?'],
    ['How do I write in prose like Woolf?', 'How do I write in prose like Woolf?'],
    ['Is it stable? Answer briefly.', 'Is it stable? Answer briefly.'],
  ])('leaves the answer contract out of %j', (query, rest) => {
    expect(withoutAnswerContract(query)).toBe(rest);
  });

  test('two coding queries are not near for their contract alone', () => {
    const contract = ' Answer in prose without code blocks and name the identifiers where they really matter here.';
    const index = exactNearQueryIndex();
    index.add('a', `Which sort is stable?${contract}`);
    expect(index.matches(`Where does it stop?${contract}`)).toEqual([]);
    expect(index.matches('Which sort is stable?')).toEqual(['a']);
  });
});

test('a long query that differs in one identifier is near, though the identifier has several parts', () => {
  const text = Array.from({ length: 60 }, (_, at) => (at === 30 ? 'NAME' : `w${at}`)).join(' ');
  const index = exactNearQueryIndex();
  index.add('a', text.replace('NAME', 'read_all_rows'));
  expect(index.matches(text.replace('NAME', 'drop_old_cols'))).toEqual(['a']);
});
