import { bandsFor, minhash, SLOTS } from './minhash.ts';
import { hashWords, jaccard, SHORT_TEXT_WORDS, shingleHashes } from './shingles.ts';

/** Texts this short are also indexed by three-word shingles, so that one of eleven words meets one of thirteen. */
const BOTH_KINDS_WORDS = 16;

/** Sets kept in memory for verification; older ones are made again from the text when needed. */
const CACHED_SETS = 4096;

interface Sets {
  readonly words: number;
  readonly short: Float64Array | null;
  readonly long: Float64Array | null;
}

function setsOf(text: string): Sets {
  const words = hashWords(text);
  return {
    words: words.count,
    short: words.count < BOTH_KINDS_WORDS ? shingleHashes(words, 3) : null,
    long: words.count >= SHORT_TEXT_WORDS ? shingleHashes(words, 5) : null,
  };
}

/** Jaccard of two texts by RULES: 5-shingles of words, or 3-shingles when one of them has fewer than 12 words. */
function similarity(a: Sets, b: Sets): number {
  if (a.long !== null && b.long !== null) return jaccard(a.long, b.long);
  return a.short !== null && b.short !== null ? jaccard(a.short, b.short) : 0;
}

/** Exact similarity of two texts as the near-duplicate rule measures it. */
export function textSimilarity(a: string, b: string): number {
  return similarity(setsOf(a), setsOf(b));
}

/** An incremental index of texts: k new ones against n old ones cost about k. */
export interface NearDuplicateIndex {
  readonly size: () => number;
  /** Numbers of the indexed texts at or above the threshold, ascending. */
  readonly matches: (text: string) => readonly number[];
  readonly isNearDuplicate: (text: string) => boolean;
  /** Puts a text into the index and gives its number (0, 1, 2 ...). */
  readonly add: (text: string) => number;
  /** Adds a text and gives its matches among the earlier ones; `skip` leaves out pairs that need no check (already joined). */
  readonly addAndMatch: (text: string, skip?: (other: number) => boolean) => readonly number[];
}

/** Hash table of band values with chains in typed arrays that double as they fill. */
class BandTable {
  #heads = new Int32Array(1 << 12).fill(-1);
  #keys = new Uint32Array(1 << 12);
  #next = new Int32Array(1 << 12);
  #docs = new Int32Array(1 << 12);
  #count = 0;

  /** Adds to `into` the texts that share this band value. */
  collect(key: number, into: Set<number>): void {
    for (let at = this.#heads[key & (this.#heads.length - 1)] ?? -1; at >= 0; at = this.#next[at] ?? -1) {
      if (this.#keys[at] === key) into.add(this.#docs[at] ?? -1);
    }
  }

  insert(key: number, doc: number): void {
    if (this.#count === this.#keys.length) this.#grow();
    const bucket = key & (this.#heads.length - 1);
    this.#keys[this.#count] = key;
    this.#docs[this.#count] = doc;
    this.#next[this.#count] = this.#heads[bucket] ?? -1;
    this.#heads[bucket] = this.#count;
    this.#count += 1;
  }

  #grow(): void {
    const size = this.#keys.length * 2;
    const keys = new Uint32Array(size);
    keys.set(this.#keys);
    const docs = new Int32Array(size);
    docs.set(this.#docs);
    this.#keys = keys;
    this.#docs = docs;
    this.#next = new Int32Array(size);
    this.#heads = new Int32Array(size).fill(-1);
    for (let at = 0; at < this.#count; at += 1) {
      const bucket = (keys[at] ?? 0) & (size - 1);
      this.#next[at] = this.#heads[bucket] ?? -1;
      this.#heads[bucket] = at;
    }
  }
}

/** Band keys of one signature; the band's number and the kind of shingle are hashed in, so one table serves all. */
function bandKeys(set: Float64Array, kind: number, threshold: number, signature: Int32Array): readonly number[] {
  const { bands, rows } = bandsFor(threshold);
  minhash(set, signature);
  const keys: number[] = [];
  for (let band = 0; band < bands; band += 1) {
    let key = Math.imul(band * 2 + kind + 1, 0x9e3779b1);
    for (let row = 0; row < rows; row += 1) {
      key = Math.imul(key ^ (signature[band * rows + row] ?? 0), 0x85ebca6b);
      key ^= key >>> 15;
    }
    keys.push(key >>> 0);
  }
  return keys;
}

const never = (): boolean => false;

/** Opens an empty index for one threshold. Candidates come from MinHash LSH and are verified by exact Jaccard, so precision is 1. */
export function createNearDuplicateIndex(threshold: number): NearDuplicateIndex {
  const table = new BandTable();
  const texts: string[] = [];
  const cache = new Map<number, Sets>();
  const signature = new Int32Array(SLOTS);

  const cached = (doc: number): Sets => {
    const known = cache.get(doc);
    if (known !== undefined) return known;
    const sets = setsOf(texts[doc] ?? '');
    if (cache.size >= CACHED_SETS)
      for (const oldest of cache.keys()) {
        cache.delete(oldest);
        break;
      }
    cache.set(doc, sets);
    return sets;
  };
  const keysOf = (sets: Sets): readonly number[] => [
    ...(sets.long === null ? [] : bandKeys(sets.long, 0, threshold, signature)),
    ...(sets.short === null ? [] : bandKeys(sets.short, 1, threshold, signature)),
  ];
  const find = (sets: Sets, keys: readonly number[], skip: (other: number) => boolean, isFirstEnough: boolean): number[] => {
    const candidates = new Set<number>();
    for (const key of keys) table.collect(key, candidates);
    const found: number[] = [];
    for (const doc of candidates) {
      if (skip(doc) || similarity(sets, cached(doc)) < threshold) continue;
      found.push(doc);
      if (isFirstEnough) break;
    }
    return found.sort((a, b) => a - b);
  };
  const insert = (text: string, keys: readonly number[]): number => {
    const doc = texts.push(text) - 1;
    for (const key of keys) table.insert(key, doc);
    return doc;
  };
  return {
    size: () => texts.length,
    matches: (text) => {
      const sets = setsOf(text);
      return find(sets, keysOf(sets), never, false);
    },
    isNearDuplicate: (text) => {
      const sets = setsOf(text);
      return find(sets, keysOf(sets), never, true).length > 0;
    },
    add: (text) => insert(text, keysOf(setsOf(text))),
    addAndMatch: (text, skip = never) => {
      const sets = setsOf(text);
      const keys = keysOf(sets);
      const found = find(sets, keys, skip, false);
      insert(text, keys);
      return found;
    },
  };
}

/** Clusters of near-duplicates by union-find: for each text the smallest number of its cluster. Independent of the order of texts but for the numbers. */
export function clusterNearDuplicates(texts: Iterable<string>, threshold: number): Int32Array {
  const index = createNearDuplicateIndex(threshold);
  const parent: number[] = [];
  const rootOf = (doc: number): number => {
    let root = doc;
    while ((parent[root] ?? root) !== root) root = parent[root] ?? root;
    for (let at = doc; at !== root;) {
      const next = parent[at] ?? root;
      parent[at] = root;
      at = next;
    }
    return root;
  };
  for (const text of texts) {
    const doc = parent.push(parent.length) - 1;
    for (const other of index.addAndMatch(text)) {
      const a = rootOf(doc);
      const b = rootOf(other);
      parent[Math.max(a, b)] = Math.min(a, b);
    }
  }
  return Int32Array.from(parent, (_value, doc) => rootOf(doc));
}
