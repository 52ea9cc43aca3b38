import * as fc from 'fast-check';
import { Minhash } from 'minhash';
import { describe, expect, it } from 'vitest';
import { bandsFor, minhash, SLOTS } from '../../datasets/minhash.ts';
import { createBandKeys } from '../../datasets/band-keys.ts';
import { clusterNearDuplicates, textsToCompare, type ClusterInput } from '../../datasets/near-clusters.ts';
import { createNearDuplicateIndex } from '../../datasets/near-duplicates.ts';
import { textSimilarity } from '../../datasets/shingle-sets.ts';
import { hashWords, jaccard, shingleHashes, shingleHighs, wordRoom } from '../../datasets/shingles.ts';
import { seededUniforms } from '../../schemas/hash.ts';
import { words } from '../../stages/text/words.ts';

/** Oracle: word shingles of both sizes as sets of texts. */
function oracleSets(text: string): { readonly count: number; readonly sets: ReadonlyMap<number, ReadonlySet<string>> } {
  const list = words(text);
  const shingles = (size: number): ReadonlySet<string> => {
    const width = Math.min(size, list.length);
    return new Set(
      list.length === 0 ? [] : Array.from({ length: list.length - width + 1 }, (_item, at) => list.slice(at, at + width).join(' ')),
    );
  };
  return { count: list.length, sets: new Map([3, 5].map((size) => [size, shingles(size)])) };
}

function exhaustive(a: ReturnType<typeof oracleSets>, b: ReturnType<typeof oracleSets>): number {
  const size = Math.min(a.count, b.count) < 12 ? 3 : 5;
  const [s, t] = [a.sets.get(size) ?? new Set<string>(), b.sets.get(size) ?? new Set<string>()];
  let common = 0;
  for (const item of s) if (t.has(item)) common += 1;
  return s.size + t.size === 0 ? 1 : common / (s.size + t.size - common);
}

/** Texts of 8 to 90 words; two in five are edits of an earlier one. */
function corpus(count: number, seed: string): readonly string[] {
  const next = seededUniforms(seed);
  const vocabulary = Array.from({ length: 600 }, (_item, at) => `w${at.toString(36)}`);
  const pick = (): string => vocabulary[Math.floor(next() * vocabulary.length)] ?? '';
  const texts: string[] = [];
  while (texts.length < count) {
    const old = texts[Math.floor(next() * texts.length)];
    if (old === undefined || next() > 0.4) {
      texts.push(Array.from({ length: 8 + Math.floor(next() * 82) }, pick).join(' '));
      continue;
    }
    const list = old.split(' ');
    for (let edits = Math.floor(next() * 4); edits > 0; edits -= 1) list[Math.floor(next() * list.length)] = pick();
    texts.push(list.join(' '));
  }
  return texts;
}

describe('shingles', () => {
  it('counts the same words as stages/text/words.ts', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'B', '7', "'", '’', ' ', '-', 'é', 'ß', '.', 'ﬁ', '½', '\n', '_', '😀', '𝒜') }),
        (text) => {
          expect(hashWords(text).count).toBe(words(text).length);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('measures exactly what the exhaustive oracle measures', () => {
    const texts = corpus(30, 'shingles');
    for (const a of texts) for (const b of texts) expect(textSimilarity(a, b)).toBeCloseTo(exhaustive(oracleSets(a), oracleSets(b)), 12);
  });

  it('gives the same signature on every machine', () => {
    const signature = new Int32Array(SLOTS);
    const highs = new Int32Array(16);
    minhash(highs, shingleHighs(hashWords('The quick brown fox jumps over the lazy dog.'), 5, highs), signature);
    expect([signature[0], signature[1], signature[127]]).toMatchInlineSnapshot(`
      [
        -2102963582,
        -1911070819,
        -1132392069,
      ]
    `);
  });

  it('estimates Jaccard as well as npm minhash does', () => {
    const texts = corpus(40, 'estimate');
    let ours = 0;
    let theirs = 0;
    let pairs = 0;
    const signatures = texts.map((text) => {
      const signature = new Int32Array(SLOTS);
      const highs = new Int32Array(512);
      minhash(highs, shingleHighs(hashWords(text), 3, highs), signature);
      const oracle = new Minhash({ numPerm: SLOTS });
      const list = words(text);
      for (let at = 0; at + 3 <= list.length; at += 1) oracle.update(list.slice(at, at + 3).join(' '));
      return { signature, oracle, set: shingleHashes(hashWords(text), 3) };
    });
    for (const a of signatures) {
      for (const b of signatures) {
        const truth = jaccard(a.set, b.set);
        const equal = a.signature.filter((value, slot) => value === b.signature[slot]).length / SLOTS;
        ours += (equal - truth) ** 2;
        theirs += (a.oracle.jaccard(b.oracle) - truth) ** 2;
        pairs += 1;
      }
    }
    expect(Math.sqrt(ours / pairs)).toBeLessThan(0.05);
    expect(Math.sqrt(ours / pairs)).toBeLessThan(1.3 * Math.sqrt(theirs / pairs) + 0.005);
  });
});

describe('index', () => {
  it('finds every pair at or above the threshold and no other (recall at 0.85 at least 0.98)', () => {
    const texts = corpus(300, 'recall');
    const oracles = texts.map(oracleSets);
    const index = createNearDuplicateIndex(0.8);
    let wanted = 0;
    let wrong = 0;
    let found = 0;
    texts.forEach((text, doc) => {
      const matches = new Set(index.addAndMatch(text));
      for (let other = 0; other < doc; other += 1) {
        const [mine, theirs] = [oracles[doc], oracles[other]];
        if (mine === undefined || theirs === undefined) continue;
        const truth = exhaustive(mine, theirs);
        if (matches.has(other) && truth < 0.8) wrong += 1;
        if (truth < 0.85) continue;
        wanted += 1;
        if (matches.has(other)) found += 1;
      }
    });
    expect(wrong).toBe(0);
    expect(wanted).toBeGreaterThan(50);
    expect(found / wanted).toBeGreaterThanOrEqual(0.98);
  });

  it.each([
    [
      'one of eleven words and one of twelve',
      'one two three four five six seven eight nine ten eleven',
      'one two three four five six seven eight nine ten eleven twelve',
      true,
    ],
    [
      'equal but for case and punctuation',
      'What can I do about my sore knee after the long run on Sunday morning?',
      'what can i do about my sore knee, after the long run on sunday morning',
      true,
    ],
    ['CJK by characters', '我已经头痛三天了应该吃什么药才好呢谢谢医生', '我已经头痛三天了应该吃什么药才好呢谢谢大夫再见', false],
    [
      'CJK with one added character',
      '我已经头痛三天了应该吃什么药才好呢谢谢医生请您尽快回答我的问题',
      '我已经头痛三天了应该吃什么药才好呢谢谢医生请您尽快回答我的问题吧',
      true,
    ],
    [
      'two different questions of one kind',
      'How do I repair a flat tyre on my bike before work tomorrow?',
      'How do I paint the wall of my kitchen before guests arrive on Sunday?',
      false,
    ],
    ['two empty texts', '', '', true],
  ])('%s', (_name, a, b, expected) => {
    const index = createNearDuplicateIndex(0.8);
    index.add(a);
    expect(index.isNearDuplicate(b)).toBe(expected);
    expect(index.matches(b)).toEqual(expected ? [0] : []);
  });

  it('uses bands that catch a pair at the threshold', () => {
    for (const threshold of [0.5, 0.6, 0.7, 0.8, 0.9]) {
      const { bands, rows } = bandsFor(threshold);
      expect(bands * rows).toBeLessThanOrEqual(SLOTS);
      expect(1 - (1 - threshold ** rows) ** bands).toBeGreaterThan(0.99);
    }
  });
});

const keysOf = (text: string): Uint32Array => {
  const maker = createBandKeys(0.8);
  return maker.keys.slice(0, maker.read(text));
};
const clusterOf = (list: readonly string[]): Int32Array => {
  const input: ClusterInput = { count: list.length, keysOf: (doc) => keysOf(list[doc] ?? ''), threshold: 0.8, knownRoot: () => null };
  return clusterNearDuplicates(input, textsToCompare(input), (doc) => list[doc] ?? '');
};
const partition = (list: readonly string[]): readonly string[] => {
  const groups = new Map<number, string[]>();
  clusterOf(list).forEach((root, doc) => groups.set(root, [...(groups.get(root) ?? []), list[doc] ?? '']));
  return [...groups.values()].map((group) => group.sort().join('|')).sort();
};

describe('clusters', () => {
  it('are the same sets whatever the order of the texts', () => {
    const texts = corpus(200, 'clusters');
    const next = seededUniforms('shuffle');
    const shuffled = [...texts]
      .map((text) => [next(), text] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, text]) => text);
    expect(partition(shuffled)).toEqual(partition(texts));
  });

  it('join chains: a is near b, b is near c, so all are one', () => {
    const base = Array.from({ length: 60 }, (_item, at) => `w${at}`);
    const a = base.join(' ');
    const b = ['x', ...base].slice(0, 58).join(' ');
    const c = ['y', 'x', ...base].slice(0, 52).join(' ');
    expect(textSimilarity(a, c)).toBeLessThan(0.8);
    expect([...clusterOf([a, c, b])]).toEqual([0, 0, 0]);
  });
});

it('has the same words of a text of ASCII characters alone as of the same text before others', () => {
  const pieces = ["don't", "it's2", "'quoted'", "o'clock", 'A1b2', 'x', "rock'n'roll", "end'", '--', '\n', ' ', '.', "''", '42', "7's"];
  const next = seededUniforms('ascii words');
  for (let round = 0; round < 400; round += 1) {
    const text = Array.from({ length: Math.floor(next() * 12) }, () => pieces[Math.floor(next() * pieces.length)] ?? '').join(
      next() < 0.5 ? ' ' : '',
    );
    const [alone, before] = [hashWords(text, wordRoom()), hashWords(`${text} é`, wordRoom())];
    expect(before.count, text).toBe(alone.count + 1);
    expect([...before.high.subarray(0, alone.count)], text).toEqual([...alone.high.subarray(0, alone.count)]);
    expect([...before.low.subarray(0, alone.count)], text).toEqual([...alone.low.subarray(0, alone.count)]);
  }
});
