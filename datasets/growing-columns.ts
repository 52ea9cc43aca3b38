/** Numbers of 32 bits that come one by one; room doubles as it fills. */
export class NumberColumn {
  #values: Uint32Array = new Uint32Array(1024);
  #count = 0;

  push(value: number): void {
    if (this.#count === this.#values.length) {
      const values = new Uint32Array(this.#values.length * 2);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values[this.#count++] = value;
  }

  at(index: number): number {
    return this.#values[index] as number;
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
