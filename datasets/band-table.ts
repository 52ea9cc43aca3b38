/** Smallest table; it doubles as it fills. */
const LEAST = 1 << 12;

/** Hash table from band values to text numbers, with chains in typed arrays. */
export class BandTable {
  #heads: Int32Array;
  #keys: Uint32Array;
  #next: Int32Array;
  #docs: Int32Array;
  #count = 0;

  /** `expected` entries fit without growing, which would need the old and the new arrays at once. */
  constructor(expected = 0) {
    const size = Math.max(LEAST, expected);
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(size))).fill(-1);
    this.#keys = new Uint32Array(size);
    this.#next = new Int32Array(size);
    this.#docs = new Int32Array(size);
  }

  /** Adds to `into` the texts that share a band value; gives `into`, made when it is needed. */
  collect(key: number, into: Set<number> | null): Set<number> | null {
    let found = into;
    for (let at = this.#heads[key & (this.#heads.length - 1)] as number; at >= 0; at = this.#next[at] as number) {
      if (this.#keys[at] !== key) continue;
      found ??= new Set();
      found.add(this.#docs[at] as number);
    }
    return found;
  }

  has(key: number): boolean {
    for (let at = this.#heads[key & (this.#heads.length - 1)] as number; at >= 0; at = this.#next[at] as number)
      if (this.#keys[at] === key) return true;
    return false;
  }

  insert(key: number, doc: number): void {
    if (this.#count === this.#keys.length) this.#grow();
    const bucket = key & (this.#heads.length - 1);
    this.#keys[this.#count] = key;
    this.#docs[this.#count] = doc;
    this.#next[this.#count] = this.#heads[bucket] as number;
    this.#heads[bucket] = this.#count;
    this.#count += 1;
  }

  #grow(): void {
    const size = this.#keys.length * 2;
    const keys = new Uint32Array(size);
    keys.set(this.#keys);
    this.#keys = keys;
    const docs = new Int32Array(size);
    docs.set(this.#docs);
    this.#docs = docs;
    this.#next = new Int32Array(size);
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(size))).fill(-1);
    for (let at = 0; at < this.#count; at += 1) {
      const bucket = (keys[at] as number) & (this.#heads.length - 1);
      this.#next[at] = this.#heads[bucket] as number;
      this.#heads[bucket] = at;
    }
  }
}
