import {
  ANY_UNIT,
  bothCases,
  DIGIT_UNITS,
  hasUnit,
  inverted,
  LINE_END_UNITS,
  NON_ASCII_UNITS,
  SPACE_UNITS,
  WORD_UNITS,
  type UnitSet,
} from './unit-set.ts';

export type Assertion = 'word border' | 'no word border' | 'start' | 'end' | 'line start' | 'line end';

/** A pattern as a tree; `units` takes one UTF-16 unit. */
export type PatternNode =
  | { readonly kind: 'units'; readonly set: UnitSet }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number | null }
  | { readonly kind: 'assert'; readonly assertion: Assertion };

/** The tree of a regular expression, and whether it takes exactly the same texts or (never fewer) some more. */
export interface ParsedPattern {
  readonly node: PatternNode;
  readonly isExact: boolean;
}

/** A regular expression outside the part of the language that is read here. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
  readonly code = 'unreadable_pattern';
}

/** Counted repeats above this are widened to any number: counting is what makes automata large. */
const MOST_COUNTED = 4;
const EMPTY: PatternNode = { kind: 'sequence', parts: [] };
const SURROGATES: UnitSet = [[0xd800, 0xdfff]];
const CONTROL: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12 };

class Reader {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;
  isExact: boolean;

  constructor({ source, flags }: RegExp) {
    if (/[vy]/.test(flags) || (flags.includes('u') && flags.includes('i'))) throw new PatternError(`Flags ${flags} are not read.`);
    this.#source = source;
    this.#flags = flags;
    // What the flag `u` adds (pairs, properties) is widened.
    this.isExact = !flags.includes('u');
  }

  whole(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new PatternError(`Unread: ${this.#source.slice(this.#at)}`);
    return node;
  }

  #peek(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#peek(text)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#source);
    if (match !== null) this.#at = sticky.lastIndex;
    return match;
  }

  #choice(): PatternNode {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    const [first] = parts;
    return parts.length === 1 && first !== undefined ? first : { kind: 'choice', parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !this.#peek('|') && !this.#peek(')')) parts.push(this.#quantified(this.#atom()));
    return { kind: 'sequence', parts };
  }

  #quantified(part: PatternNode): PatternNode {
    const match = this.#match(/(?:([*+?])|\{(\d+)(,(\d*))?\})\??/);
    if (match === null) return part;
    const [, sign, least, comma, most] = match;
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
    const max =
      sign === undefined ? (comma === undefined ? min : most === undefined || most === '' ? null : Number(most)) : sign === '?' ? 1 : null;
    if (Math.max(min, max ?? 0) <= MOST_COUNTED) return { kind: 'repeat', part, min, max };
    this.isExact = false;
    return { kind: 'repeat', part, min: Math.min(min, MOST_COUNTED), max: null };
  }

  #atom(): PatternNode {
    if (this.#match(/\(\?<?[=!]/) !== null) {
      // A look-around only takes texts away.
      this.#choice();
      this.#close();
      this.isExact = false;
      return EMPTY;
    }
    if (this.#match(/\((?:\?:)?(?!\?)/) !== null) {
      const inner = this.#choice();
      this.#close();
      return inner;
    }
    if (this.#take('^')) return { kind: 'assert', assertion: this.#flags.includes('m') ? 'line start' : 'start' };
    if (this.#take('$')) return { kind: 'assert', assertion: this.#flags.includes('m') ? 'line end' : 'end' };
    if (this.#take('\\b')) return { kind: 'assert', assertion: 'word border' };
    if (this.#take('\\B')) return { kind: 'assert', assertion: 'no word border' };
    if (this.#match(/\\[1-9]/) !== null) {
      this.isExact = false;
      return { kind: 'repeat', part: { kind: 'units', set: ANY_UNIT }, min: 0, max: null };
    }
    if (this.#take('[')) return this.#units(this.#bracket());
    if (this.#take('.')) return this.#units(inverted(LINE_END_UNITS));
    return this.#units(this.#folded(this.#single()));
  }

  #close(): void {
    if (!this.#take(')')) throw new PatternError(`A group does not close in ${this.#source}`);
  }

  #folded(set: UnitSet): UnitSet {
    return this.#flags.includes('i') ? bothCases(set) : set;
  }

  #units(set: UnitSet): PatternNode {
    const one: PatternNode = { kind: 'units', set };
    if (!this.#flags.includes('u') || !hasUnit(set, 0xffff)) return one;
    // With the flag `u` one step may take a pair.
    const half: PatternNode = { kind: 'units', set: SURROGATES };
    return { kind: 'choice', parts: [one, { kind: 'sequence', parts: [half, half] }] };
  }

  #bracket(): UnitSet {
    const isNegated = this.#take('^');
    const set: (readonly [number, number])[] = [];
    while (!this.#take(']')) {
      const from = this.#single();
      const [first] = from;
      const isRange = this.#peek('-') && !this.#peek('-]') && from.length === 1 && first !== undefined && first[0] === first[1];
      if (!isRange) {
        set.push(...from);
        continue;
      }
      this.#at += 1;
      const [to] = this.#single();
      set.push([first[0], to?.[1] ?? first[0]]);
    }
    if (!isNegated) return this.#folded(set);
    // A negated property must be widened too, so it is refused rather than narrowed.
    if (this.#flags.includes('u') && set.some(([, to]) => to === 0xffff)) throw new PatternError(`A negated property in ${this.#source}`);
    return inverted(this.#folded(set));
  }

  #single(): UnitSet {
    if (!this.#take('\\')) return this.#literal();
    const property = this.#match(/p\{([^}]+)\}/);
    if (property !== null) return [...asciiOf(property[1] ?? ''), ...NON_ASCII_UNITS];
    const code = this.#match(/u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})/);
    if (code !== null) {
      const unit = Number.parseInt(code[1] ?? code[2] ?? '', 16);
      return [[unit, unit]];
    }
    const letter = this.#source.charAt(this.#at);
    this.#at += 1;
    if (letter === 'w') return WORD_UNITS;
    if (letter === 'W') return inverted(WORD_UNITS);
    if (letter === 'd') return DIGIT_UNITS;
    if (letter === 'D') return inverted(DIGIT_UNITS);
    if (letter === 's') return SPACE_UNITS;
    if (letter === 'S') return inverted(SPACE_UNITS);
    const unit = CONTROL[letter] ?? letter.charCodeAt(0);
    if (CONTROL[letter] === undefined && /[A-Za-z0-9]/.test(letter)) throw new PatternError(`\\${letter} in ${this.#source}`);
    return [[unit, unit]];
  }

  #literal(): UnitSet {
    const unit = this.#source.charCodeAt(this.#at);
    if (unit > 127 && this.#flags.includes('i') && /[\p{L}\p{Surrogate}]/u.test(this.#source.charAt(this.#at)))
      throw new PatternError(`A letter beyond ASCII under the flag i in ${this.#source}`);
    this.#at += 1;
    return [[unit, unit]];
  }
}

/** The ASCII units of a Unicode property; the rest is taken whole. */
function asciiOf(property: string): UnitSet {
  const test = new RegExp(`\\p{${property}}`, 'u');
  return Array.from({ length: 128 }, (_, unit) => [unit, unit] as const).filter(([unit]) => test.test(String.fromCharCode(unit)));
}

/** Reads a regular expression; look-arounds, back references and long counts are widened, so the tree takes at least what the expression takes. */
export function parsePattern(pattern: RegExp): ParsedPattern {
  const reader = new Reader(pattern);
  const node = reader.whole();
  return { node, isExact: reader.isExact };
}
