import { describe, expect, test } from 'vitest';
import { drawBlockPlan } from '../../stages/block-plan.ts';

/** A block as the shortcut audit sees it: example, place, blocks of the example, atoms, and whether a source atom sits there. */
interface Seen {
  readonly example: number;
  readonly place: number;
  readonly blocks: number;
  readonly atoms: number;
  readonly holdsSource: boolean;
}

const EXAMPLES = 2000;

/** Blocks of many plans whose source atoms lie in passages as given (`[0, 0, 1]`: two atoms of one passage, one of another). */
function seen(passages: readonly number[]): readonly Seen[] {
  return Array.from({ length: EXAMPLES }, (_, example) => {
    const sources = passages.map((passage, index) => ({ key: `s${index + 1}`, passage }));
    const { blocks } = drawBlockPlan('structure', `${passages.join('')}-${example}`, sources);
    return blocks.map(({ seats }, place) => ({
      example,
      place: place / blocks.length,
      blocks: blocks.length,
      atoms: seats.length,
      holdsSource: seats.some((key) => key.startsWith('s')),
    }));
  }).flat();
}

/** Chance that a block with a source atom scores above one without, among blocks of as many atoms; a tie counts half. */
function auc(blocks: readonly Seen[], score: (block: Seen) => number): number {
  let won = 0;
  let pairs = 0;
  for (const atoms of new Set(blocks.map((block) => block.atoms))) {
    const same = blocks.filter((block) => block.atoms === atoms);
    const without = same
      .filter((block) => !block.holdsSource)
      .map(score)
      .toSorted((a, b) => a - b);
    const below = (value: number, orEqual: boolean): number => {
      let [low, high] = [0, without.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        const other = without[middle] ?? 0;
        if (other < value || (orEqual && other === value)) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    for (const block of same.filter(({ holdsSource }) => holdsSource)) {
      won += (below(score(block), false) + below(score(block), true)) / 2;
      pairs += without.length;
    }
  }
  return won / pairs;
}

const SOURCES: readonly (readonly [name: string, passages: readonly number[]])[] = [
  ['one atom', [0]],
  ['two atoms of two passages', [0, 1]],
  ['two atoms of one passage', [0, 0]],
  ['three atoms of two passages', [0, 0, 1]],
  ['four atoms of two passages', [0, 0, 1, 1]],
];

describe.each(SOURCES)('structure of plans for %s', (_, passages) => {
  const blocks = seen(passages);

  test('among blocks of one size in one example the place tells nothing of who sits there', () => {
    const gaps: number[] = [];
    const groups = new Map<string, Seen[]>();
    for (const block of blocks) {
      const name = `${block.example} ${block.atoms}`;
      groups.set(name, [...(groups.get(name) ?? []), block]);
    }
    for (const group of groups.values()) {
      const places = (holds: boolean): readonly number[] =>
        group.filter((block) => block.holdsSource === holds).map((block) => block.place);
      const [own, other] = [places(true), places(false)];
      if (own.length === 0 || other.length === 0) continue;
      const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
      gaps.push(mean(own) - mean(other));
    }
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    expect(gaps.length).toBeGreaterThan(300);
    expect(Math.abs(mean) / Math.sqrt(variance / gaps.length)).toBeLessThan(3.5);
  });

  test('the number of blocks alone tells at AUC above 0.6, which comes from the published table of K and from no seat', () => {
    const known = auc(blocks, (block) => -block.blocks);
    expect(known).toBeGreaterThan(0.6);
    expect(known).toBeLessThan(0.7);
  });
});
