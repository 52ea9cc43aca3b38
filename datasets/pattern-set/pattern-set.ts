import { buildAutomaton, type Automaton } from './automaton.ts';
import { parsePattern } from './parse-pattern.ts';
import { StateTable } from './state-table.ts';

/** States kept before all are dropped and made anew: about 2 MB a set. */
const MOST_STATES = 6000;

/** New states that one text may need before its patterns are tried one by one; texts of people need few, made-up ones many. */
const MOST_NEW_STATES = 3000;

/** What one pass over a text found. */
export interface PatternHits {
  /** Whether no pattern matches, as far as one pass can tell: false may stand for none, true never for some. */
  readonly isNone: boolean;
  /** Whether the pattern of this number matches somewhere in the text: what `pattern.test(text)` says. */
  readonly has: (pattern: number) => boolean;
  /** Number of places where a match can end: never less than the number of matches that `text.match` gives, null when not counted. */
  readonly ends: (pattern: number) => number | null;
}

/** Several regular expressions looked for in one pass over a text. */
export interface PatternSet {
  /** Whether matches of any pattern end at so many places at least: reads no further than that; null when it is not known. */
  readonly hasEnds: (text: string, least: number) => boolean | null;
  readonly scan: (text: string) => PatternHits;
}

class Scanner {
  readonly #automaton: Automaton;
  readonly #patterns: number;
  #table: StateTable;
  /** What most texts give: nothing. */
  readonly #none: Uint32Array;

  constructor(automaton: Automaton, patterns: number) {
    this.#automaton = automaton;
    this.#patterns = patterns;
    this.#table = new StateTable(automaton);
    this.#none = new Uint32Array(patterns);
  }

  isNone(ends: Uint32Array | null): boolean {
    return ends === this.#none;
  }

  /** Whether matches end at so many places at least; null when the text needs more states than are worth making. */
  hasEnds(text: string, least: number): boolean | null {
    if (this.#table.size > MOST_STATES) this.#table = new StateTable(this.#automaton);
    const table = this.#table;
    const { classOf, classes } = this.#automaton;
    const most = table.size + MOST_NEW_STATES;
    let row = 0;
    let left = least;
    for (let i = 0; i <= text.length && left > 0; i += 1) {
      const unitClass = i < text.length ? (classOf[text.charCodeAt(i)] as number) : classes;
      let cell = table.next[row + unitClass] as number;
      if (cell === 0) cell = table.step(row, unitClass);
      if (table.size > most) return null;
      row = Math.abs(cell);
      if (cell < 0) left -= 1;
    }
    return left <= 0;
  }

  /** Match ends of each pattern, not to be written to; null when the text needs more states than are worth making. */
  ends(text: string): Uint32Array | null {
    if (this.#table.size > MOST_STATES) this.#table = new StateTable(this.#automaton);
    const table = this.#table;
    const { classOf, classes } = this.#automaton;
    const most = table.size + MOST_NEW_STATES;
    let ends = this.#none;
    const { length } = text;
    let { next } = table;
    let row = 0;
    for (let i = 0; i <= length; i += 1) {
      const unitClass = i < length ? (classOf[text.charCodeAt(i)] as number) : classes;
      let cell = next[row + unitClass] as number;
      if (cell > 0) {
        row = cell;
        continue;
      }
      if (cell === 0) {
        cell = table.step(row, unitClass);
        if (table.size > most) return null;
        ({ next } = table);
      }
      row = Math.abs(cell);
      if (cell > 0) continue;
      if (ends === this.#none) ends = new Uint32Array(this.#patterns);
      for (const pattern of table.matched(row)) ends[pattern] = (ends[pattern] as number) + 1;
    }
    return ends;
  }
}

/**
 * Compiles regular expressions into one automaton that reads a text once for all of them. The expressions stay the rule: where the automaton
 * takes more than an expression does (look-arounds, long counts, Unicode properties), its hits are confirmed by the expression itself.
 */
export function createPatternSet(patterns: readonly RegExp[]): PatternSet {
  const parsed = patterns.map(parsePattern);
  // Made at the first scan: most processes that load a rule never screen a row.
  let scanner: Scanner | null = null;
  const opened = (): Scanner => (scanner ??= new Scanner(buildAutomaton(parsed.map(({ node }) => node)), patterns.length));
  return {
    hasEnds: (text, least) => opened().hasEnds(text, least),
    scan: (text) => {
      scanner = opened();
      const ends = scanner.ends(text);
      const confirmed = (pattern: number): boolean => text.search(patterns[pattern] ?? /(?!)/) >= 0;
      const isSure = (pattern: number): boolean => parsed[pattern]?.isExact === true;
      return {
        isNone: scanner.isNone(ends),
        has: (pattern) => (ends === null ? confirmed(pattern) : (ends[pattern] ?? 0) > 0 && (isSure(pattern) || confirmed(pattern))),
        ends: (pattern) => (ends === null ? null : (ends[pattern] ?? 0)),
      };
    },
  };
}
