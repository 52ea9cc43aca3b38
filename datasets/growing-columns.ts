/** Numbers of 32 bits that come in runs; room doubles as it fills. */
export class NumberColumn {
  #values: Uint32Array = new Uint32Array(1024);
  #count = 0;

  /** Makes room for `more` numbers at the end and gives it to be written. */
  extend(more: number): Uint32Array {
    const count = this.#count + more;
    if (count > this.#values.length) {
      const values = new Uint32Array(Math.max(count, this.#values.length * 2));
      values.set(this.#values.subarray(0, this.#count));
      this.#values = values;
    }
    const room = this.#values.subarray(this.#count, count);
    this.#count = count;
    return room;
  }

  at(index: number): number {
    return this.#values[index] as number;
  }

  /** All numbers so far; valid until more come. */
  all(): Uint32Array {
    return this.#values.subarray(0, this.#count);
  }
}

/** Values that repeat, each kept once: `code` gives its number, `at` the value. */
export class Dictionary<Value> {
  readonly #codes = new Map<string, number>();
  readonly #values: Value[] = [];
  readonly #make: (key: string) => Value;

  constructor(make: (key: string) => Value) {
    this.#make = make;
  }

  get size(): number {
    return this.#values.length;
  }

  code(key: string): number {
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    const code = this.#values.push(this.#make(key)) - 1;
    this.#codes.set(key, code);
    return code;
  }

  at(code: number): Value {
    return this.#values[code] as Value;
  }
}
