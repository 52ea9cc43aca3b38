import type { Assertion, PatternNode } from './parse-pattern.ts';
import { hasUnit, LINE_END_UNITS, WORD_UNITS, type UnitSet } from './unit-set.ts';

/** One node of a nondeterministic automaton over several patterns. */
export type AutomatonNode =
  | { readonly kind: 'units'; readonly set: number; readonly next: number }
  | { readonly kind: 'split'; readonly next: readonly number[] }
  | { readonly kind: 'assert'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'match'; readonly pattern: number };

/** The automaton of several patterns; `start` begins all of them. */
export interface Automaton {
  readonly nodes: readonly AutomatonNode[];
  readonly start: number;
  /** Class of every UTF-16 unit: units of one class are in the same sets. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** Whether a class belongs to a set. */
  readonly isIn: (set: number, unitClass: number) => boolean;
  readonly isWord: readonly boolean[];
  readonly isLineEnd: readonly boolean[];
}

class Builder {
  readonly nodes: AutomatonNode[] = [];
  readonly sets: UnitSet[] = [WORD_UNITS, LINE_END_UNITS];
  readonly #known = new Map<string, number>();

  add(node: AutomatonNode): number {
    return this.nodes.push(node) - 1;
  }

  #setNumber(set: UnitSet): number {
    const key = JSON.stringify(set);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const number = this.sets.push(set) - 1;
    this.#known.set(key, number);
    return number;
  }

  /** Nodes of a pattern that lead to `next`; gives their entry. */
  build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case 'units':
        return this.add({ kind: 'units', set: this.#setNumber(node.set), next });
      case 'assert':
        return this.add({ kind: 'assert', assertion: node.assertion, next });
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.build(part, after), next);
      case 'choice':
        return this.add({ kind: 'split', next: node.parts.map((part) => this.build(part, next)) });
      case 'repeat':
        return this.#repeat(node.part, node.min, node.max, next);
    }
  }

  #repeat(part: PatternNode, min: number, max: number | null, next: number): number {
    let entry = next;
    if (max === null) {
      const loop: number[] = [];
      entry = this.add({ kind: 'split', next: loop });
      loop.push(this.build(part, entry), next);
    } else for (let i = min; i < max; i += 1) entry = this.add({ kind: 'split', next: [this.build(part, entry), next] });
    for (let i = 0; i < min; i += 1) entry = this.build(part, entry);
    return entry;
  }
}

/** Units that no set tells apart become one class. */
function classesOf(sets: readonly UnitSet[]): { readonly classOf: Uint8Array; readonly samples: readonly number[] } {
  const borders = [...new Set([0, ...sets.flat().flatMap(([from, to]) => [from, to + 1])])]
    .filter((at) => at <= 0xffff)
    .sort((a, b) => a - b);
  const classOf = new Uint8Array(65_536);
  const known = new Map<string, number>();
  const samples: number[] = [];
  borders.forEach((from, at) => {
    const key = sets.map((set) => Number(hasUnit(set, from))).join('');
    let number = known.get(key);
    if (number === undefined) {
      number = samples.push(from) - 1;
      known.set(key, number);
    }
    classOf.fill(number, from, borders[at + 1] ?? 65_536);
  });
  if (samples.length > 255) throw new RangeError(`${samples.length} classes of characters; at most 255 fit.`);
  return { classOf, samples };
}

/** Builds the automaton of patterns; pattern k ends in a match of number k. */
export function buildAutomaton(patterns: readonly PatternNode[]): Automaton {
  const builder = new Builder();
  const starts = patterns.map((node, pattern) => builder.build(node, builder.add({ kind: 'match', pattern })));
  const start = builder.add({ kind: 'split', next: starts });
  const { classOf, samples } = classesOf(builder.sets);
  const members = builder.sets.map((set) => samples.map((unit) => hasUnit(set, unit)));
  return {
    nodes: builder.nodes,
    start,
    classOf,
    classes: samples.length,
    isIn: (set, unitClass) => members[set]?.[unitClass] === true,
    isWord: members[0] ?? [],
    isLineEnd: members[1] ?? [],
  };
}
