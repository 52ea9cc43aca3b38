/** Smallest table, and how it grows as it fills: in few steps, because each enters all anew. */
const GROWTH = 4;
const LEAST = 1 << 12;

/** Numbers an entry takes: key, text, and the next entry of its chain. They stand together, so that a look costs one line of the cache. */
const WIDTH = 3;
const DOC = 1;
const NEXT = 2;

/** One of eight bits, by a part of a key that does not choose its bucket. */
const markOf = (key: number): number => 1 << (key >>> 29);

/** Hash table from band values to text numbers, with chains in typed arrays. */
export class BandTable {
  #heads: Int32Array;
  /** By bucket: which of eight parts of the keys it has, a bit each. Most looks end there, in an eighth of the memory. */
  #marks: Uint8Array;
  #entries: Int32Array;
  #count = 0;

  /** `expected` entries fit without growing, which would need the old and the new arrays at once. */
  constructor(expected = 0) {
    const size = Math.max(LEAST, expected);
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(size))).fill(-1);
    this.#marks = new Uint8Array(this.#heads.length);
    this.#entries = new Int32Array(size * WIDTH);
  }

  /** Adds to `into` the texts that share a band value; gives `into`, made when it is needed. */
  collect(key: number, into: Set<number> | null): Set<number> | null {
    let found = into;
    const entries = this.#entries;
    for (let at = this.#heads[key & (this.#heads.length - 1)] as number; at >= 0; at = entries[at + NEXT] as number) {
      if (entries[at] !== (key | 0)) continue;
      found ??= new Set();
      found.add(entries[at + DOC] as number);
    }
    return found;
  }

  has(key: number): boolean {
    const entries = this.#entries;
    const bucket = key & (this.#heads.length - 1);
    if (((this.#marks[bucket] as number) & markOf(key)) === 0) return false;
    for (let at = this.#heads[bucket] as number; at >= 0; at = entries[at + NEXT] as number) if (entries[at] === (key | 0)) return true;
    return false;
  }

  /** Puts a text under its first `count` band values and gives the texts put in before that share one of them; null when none does. */
  addAndCollect(keys: Uint32Array, count: number, doc: number): Set<number> | null {
    while ((this.#count + count) * WIDTH > this.#entries.length) this.#grow();
    const entries = this.#entries;
    const heads = this.#heads;
    const marks = this.#marks;
    const mask = heads.length - 1;
    let found: Set<number> | null = null;
    let at = this.#count * WIDTH;
    for (let number = 0; number < count; number += 1) {
      const key = (keys[number] as number) | 0;
      const bucket = key & mask;
      const first = heads[bucket] as number;
      const marked = marks[bucket] as number;
      const mark = markOf(key);
      if ((marked & mark) !== 0)
        for (let other = first; other >= 0; other = entries[other + NEXT] as number) {
          if (entries[other] !== key || entries[other + DOC] === doc) continue;
          found ??= new Set();
          found.add(entries[other + DOC] as number);
        }
      marks[bucket] = marked | mark;
      entries[at] = key;
      entries[at + DOC] = doc;
      entries[at + NEXT] = first;
      heads[bucket] = at;
      at += WIDTH;
    }
    this.#count += count;
    return found;
  }

  hasAny(keys: Uint32Array): boolean {
    for (let at = 0; at < keys.length; at += 1) if (this.has(keys[at] as number)) return true;
    return false;
  }

  insertAll(keys: Uint32Array, doc: number): void {
    for (let at = 0; at < keys.length; at += 1) this.insert(keys[at] as number, doc);
  }

  insert(key: number, doc: number): void {
    const at = this.#count * WIDTH;
    if (at === this.#entries.length) this.#grow();
    const bucket = key & (this.#heads.length - 1);
    this.#marks[bucket] = (this.#marks[bucket] as number) | markOf(key);
    this.#entries[at] = key;
    this.#entries[at + DOC] = doc;
    this.#entries[at + NEXT] = this.#heads[bucket] as number;
    this.#heads[bucket] = at;
    this.#count += 1;
  }

  #grow(): void {
    const entries = new Int32Array(this.#entries.length * GROWTH);
    entries.set(this.#entries);
    this.#entries = entries;
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(entries.length / WIDTH))).fill(-1);
    this.#marks = new Uint8Array(this.#heads.length);
    for (let at = 0; at < this.#count * WIDTH; at += WIDTH) {
      const bucket = (entries[at] as number) & (this.#heads.length - 1);
      this.#marks[bucket] = (this.#marks[bucket] as number) | markOf(entries[at] as number);
      entries[at + NEXT] = this.#heads[bucket] as number;
      this.#heads[bucket] = at;
    }
  }
}
