import type { Automaton } from './automaton.ts';
import type { Assertion } from './parse-pattern.ts';

/** What stood before a position: nothing, a word character, a line end, or something else. */
const BEFORE = { start: 0, word: 1, lineEnd: 2, other: 3 } as const;

interface State {
  readonly nodes: readonly number[];
  readonly before: number;
  /** Patterns whose match ended right before the unit that led here. */
  readonly matched: readonly number[];
}

/** Where a position lies, for what asks about borders. */
interface Place {
  readonly before: number;
  readonly isWordNext: boolean;
  readonly isLineEndNext: boolean;
  readonly isEnd: boolean;
}

function holds(assertion: Assertion, { before, isWordNext, isLineEndNext, isEnd }: Place): boolean {
  const isBorder = (before === BEFORE.word) !== isWordNext;
  switch (assertion) {
    case 'word border':
      return isBorder;
    case 'no word border':
      return !isBorder;
    case 'start':
      return before === BEFORE.start;
    case 'line start':
      return before === BEFORE.start || before === BEFORE.lineEnd;
    case 'end':
      return isEnd;
    case 'line end':
      return isEnd || isLineEndNext;
  }
}

/**
 * The deterministic states of an automaton, made on first sight and kept, so that a step is one look into `next`.
 * A state stands as its row: number × width. Column = class of the unit, last column = end of text.
 * A cell is 0 while the step was not made, else the row, negative where matches end; no step leads back to row 0.
 */
export class StateTable {
  readonly width: number;
  next: Int32Array;
  readonly #automaton: Automaton;
  readonly #states: State[] = [];
  readonly #known = new Map<string, number>();

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    this.width = automaton.classes + 1;
    this.next = new Int32Array(64 * this.width);
    this.#number({ nodes: [], before: BEFORE.start, matched: [] });
  }

  get size(): number {
    return this.#states.length;
  }

  /** Patterns whose match ended right before the unit that led to a row. */
  matched(row: number): readonly number[] {
    return this.#states[row / this.width]?.matched ?? [];
  }

  #number(state: State): number {
    const key = `${state.nodes.join()};${state.before};${state.matched.join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const number = this.#states.push(state) - 1;
    if (this.#states.length * this.width > this.next.length) {
      const next = new Int32Array(this.next.length * 2);
      next.set(this.next);
      this.next = next;
    }
    this.#known.set(key, number);
    return number;
  }

  /** Makes the step from a row over a class of units (or the end of text) and gives its cell. */
  step(row: number, unitClass: number): number {
    const { nodes, start, isIn, isWord, isLineEnd, classes } = this.#automaton;
    const state = this.#states[row / this.width] ?? { nodes: [], before: BEFORE.start, matched: [] };
    const isEnd = unitClass === classes;
    const place: Place = {
      before: state.before,
      isWordNext: isWord[unitClass] === true,
      isLineEndNext: isLineEnd[unitClass] === true,
      isEnd,
    };
    const seen = new Set<number>();
    const targets = new Set<number>();
    const matched = new Set<number>();
    const open = [...state.nodes, start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const node = nodes[at];
      if (node === undefined) continue;
      if (node.kind === 'split') open.push(...node.next);
      else if (node.kind === 'match') matched.add(node.pattern);
      else if (node.kind === 'assert') {
        if (holds(node.assertion, place)) open.push(node.next);
      } else if (!isEnd && isIn(node.set, unitClass)) targets.add(node.next);
    }
    const ascending = (a: number, b: number): number => a - b;
    const to = this.#number({
      nodes: [...targets].sort(ascending),
      before: isWord[unitClass] === true ? BEFORE.word : isLineEnd[unitClass] === true ? BEFORE.lineEnd : BEFORE.other,
      matched: [...matched].sort(ascending),
    });
    const cell = matched.size > 0 ? -to * this.width : to * this.width;
    this.next[row + unitClass] = cell;
    return cell;
  }
}
