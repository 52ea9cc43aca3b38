import { BandTable } from './band-table.ts';
import { bandsFor, minhash, SLOTS } from './minhash.ts';
import { hashWords, jaccard, SHORT_TEXT_WORDS, shingleHashes, shingleHighs, wordRoom, type HashedWords } from './shingles.ts';

/** Texts this short are also indexed by three-word shingles, so that one of eleven words meets one of thirteen. */
const BOTH_KINDS_WORDS = 16;

/** Sets kept in memory for verification; older ones are made again from the text when needed. */
const CACHED_SETS = 4096;

interface Sets {
  readonly words: number;
  readonly short: Float64Array | null;
  readonly long: Float64Array | null;
}

function setsOf(words: HashedWords): Sets {
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
  return similarity(setsOf(hashWords(a)), setsOf(hashWords(b)));
}

/** An incremental index of texts: k new ones against n old ones cost about k. */
export interface NearDuplicateIndex {
  readonly size: () => number;
  /** Numbers of the indexed texts at or above the threshold, ascending. */
  readonly matches: (text: string) => readonly number[];
  readonly isNearDuplicate: (text: string) => boolean;
  /** Puts a text into the index and gives its number (0, 1, 2 ...). */
  readonly add: (text: string) => number;
  /** Adds a text and gives its matches among the earlier ones. */
  readonly addAndMatch: (text: string) => readonly number[];
  /** Adds a text and hands each match over as it is found; `skip`, asked anew before each check, leaves out pairs that need none. */
  readonly addAndVisit: (text: string, found: (other: number) => void, skip?: (other: number) => boolean) => number;
}

/** Turns texts into band keys; one pair of rooms serves all texts, so nothing is allocated for most of them. */
class KeyMaker {
  readonly keys = new Uint32Array(2 * SLOTS);
  readonly #threshold: number;
  readonly #words = wordRoom();
  readonly #signature = new Int32Array(SLOTS);
  #highs = new Int32Array(1024);

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /** Writes the keys of a text into `keys` and gives their number. */
  read(text: string): number {
    const words = hashWords(text, this.#words);
    let count = 0;
    if (words.count >= SHORT_TEXT_WORDS) count = this.#add(5, 0, count);
    if (words.count < BOTH_KINDS_WORDS) count = this.#add(3, 1, count);
    return count;
  }

  /** The sets of the text read last. */
  sets(): Sets {
    return setsOf(this.#words);
  }

  /** Band keys of one signature; the band's number and the kind of shingle are hashed in, so one table serves all. */
  #add(size: number, kind: number, from: number): number {
    if (this.#highs.length < this.#words.count) this.#highs = new Int32Array(this.#words.count * 2);
    minhash(this.#highs, shingleHighs(this.#words, size, this.#highs), this.#signature);
    const { bands, rows } = bandsFor(this.#threshold);
    let slot = 0;
    for (let band = 0; band < bands; band += 1) {
      let key = Math.imul(band * 2 + kind + 1, 0x9e3779b1);
      for (let row = 0; row < rows; row += 1) {
        key = Math.imul(key ^ (this.#signature[slot++] as number), 0x85ebca6b);
        key ^= key >>> 15;
      }
      this.keys[from + band] = key >>> 0;
    }
    return from + bands;
  }
}

/** What an index may be told beforehand. */
export interface IndexOptions {
  /** Number of texts to come: tables of the right size need not grow. */
  readonly expected?: number;
  /** Text of an added number, for a caller that keeps the texts itself; the index then keeps none. */
  readonly textOf?: (doc: number) => string;
}

/** Texts that are set beside others as they come, with what was known of earlier ones. */
class Index implements NearDuplicateIndex {
  readonly #threshold: number;
  readonly #maker: KeyMaker;
  readonly #table: BandTable;
  readonly #texts: string[] = [];
  readonly #textOf: (doc: number) => string;
  readonly #keepsTexts: boolean;
  readonly #cache = new Map<number, Sets>();
  readonly #otherWords = wordRoom();
  #count = 0;

  constructor(threshold: number, { expected = 0, textOf }: IndexOptions) {
    this.#threshold = threshold;
    this.#maker = new KeyMaker(threshold);
    this.#table = new BandTable(expected * bandsFor(threshold).bands);
    this.#keepsTexts = textOf === undefined;
    this.#textOf = textOf ?? ((doc) => this.#texts[doc] ?? '');
  }

  size(): number {
    return this.#count;
  }

  #cached(doc: number): Sets {
    const known = this.#cache.get(doc);
    if (known !== undefined) return known;
    const sets = setsOf(hashWords(this.#textOf(doc), this.#otherWords));
    if (this.#cache.size >= CACHED_SETS)
      for (const oldest of this.#cache.keys()) {
        this.#cache.delete(oldest);
        break;
      }
    this.#cache.set(doc, sets);
    return sets;
  }

  /** Hands every match to `found`, which says whether to go on. */
  #visit(keys: number, skip: (other: number) => boolean, found: (other: number) => boolean): void {
    let candidates: Set<number> | null = null;
    for (let at = 0; at < keys; at += 1) candidates = this.#table.collect(this.#maker.keys[at] as number, candidates);
    if (candidates === null) return;
    const sets = this.#maker.sets();
    for (const doc of candidates) if (!skip(doc) && similarity(sets, this.#cached(doc)) >= this.#threshold && !found(doc)) return;
  }

  #insert(text: string, keys: number): number {
    const doc = this.#count++;
    if (this.#keepsTexts) this.#texts.push(text);
    for (let at = 0; at < keys; at += 1) this.#table.insert(this.#maker.keys[at] as number, doc);
    return doc;
  }

  matches(text: string): readonly number[] {
    const all: number[] = [];
    this.#visit(this.#maker.read(text), never, (doc) => all.push(doc) > 0);
    return all.sort((a, b) => a - b);
  }

  isNearDuplicate(text: string): boolean {
    let isFound = false;
    this.#visit(this.#maker.read(text), never, () => {
      isFound = true;
      return false;
    });
    return isFound;
  }

  add(text: string): number {
    return this.#insert(text, this.#maker.read(text));
  }

  addAndVisit(text: string, found: (other: number) => void, skip: (other: number) => boolean = never): number {
    const keys = this.#maker.read(text);
    this.#visit(keys, skip, (doc) => {
      found(doc);
      return true;
    });
    return this.#insert(text, keys);
  }

  addAndMatch(text: string): readonly number[] {
    const all: number[] = [];
    this.addAndVisit(text, (doc) => void all.push(doc));
    return all.sort((a, b) => a - b);
  }
}

const never = (): boolean => false;

/** Opens an empty index for one threshold. Candidates come from MinHash LSH and are verified by exact Jaccard, so precision is 1. */
export function createNearDuplicateIndex(threshold: number, options: IndexOptions = {}): NearDuplicateIndex {
  return new Index(threshold, options);
}

/**
 * Clusters of near-duplicates by union-find: for each text the smallest number of its cluster. Independent of the order of texts but for the
 * numbers. Pairs that are joined already, by whatever way, are not verified again. `textOf` gives the texts a second time, for verification.
 */
export function clusterNearDuplicates(count: number, textOf: (doc: number) => string, threshold: number): Int32Array {
  const index = createNearDuplicateIndex(threshold, { expected: count, textOf });
  const parent = Int32Array.from({ length: count }, (_, doc) => doc);
  const rootOf = (doc: number): number => {
    let root = doc;
    while (parent[root] !== root) root = parent[root] as number;
    for (let at = doc; at !== root;) {
      const next = parent[at] as number;
      parent[at] = root;
      at = next;
    }
    return root;
  };
  for (let doc = 0; doc < count; doc += 1) {
    const join = (other: number): void => {
      const [a, b] = [rootOf(doc), rootOf(other)];
      parent[Math.max(a, b)] = Math.min(a, b);
    };
    index.addAndVisit(textOf(doc), join, (other) => rootOf(other) === rootOf(doc));
  }
  return parent.map((_, doc) => rootOf(doc));
}
