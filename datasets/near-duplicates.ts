import { createBandKeys, type BandKeys } from './band-keys.ts';
import { BandTable } from './band-table.ts';
import { SetCache, setSimilarity, shingleSets } from './shingle-sets.ts';

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
}

/** Texts that are set beside others as they come, with what was known of earlier ones. */
class Index implements NearDuplicateIndex {
  readonly #threshold: number;
  readonly #maker: BandKeys;
  readonly #table = new BandTable();
  readonly #texts: string[] = [];
  readonly #cache = new SetCache((doc) => this.#texts[doc] ?? '');

  constructor(threshold: number) {
    this.#threshold = threshold;
    this.#maker = createBandKeys(threshold);
  }

  size(): number {
    return this.#texts.length;
  }

  /** Hands every match to `found`, which says whether to go on. */
  #visit(keys: number, found: (other: number) => boolean): void {
    let candidates: Set<number> | null = null;
    for (let at = 0; at < keys; at += 1) candidates = this.#table.collect(this.#maker.keys[at] as number, candidates);
    if (candidates === null) return;
    const sets = shingleSets(this.#maker.words);
    for (const doc of candidates) if (setSimilarity(sets, this.#cache.of(doc)) >= this.#threshold && !found(doc)) return;
  }

  #insert(text: string, keys: number): number {
    const doc = this.#texts.push(text) - 1;
    for (let at = 0; at < keys; at += 1) this.#table.insert(this.#maker.keys[at] as number, doc);
    return doc;
  }

  matches(text: string): readonly number[] {
    return this.#matchesOf(this.#maker.read(text));
  }

  #matchesOf(keys: number): readonly number[] {
    const all: number[] = [];
    this.#visit(keys, (doc) => all.push(doc) > 0);
    return all.sort((a, b) => a - b);
  }

  isNearDuplicate(text: string): boolean {
    let isFound = false;
    this.#visit(this.#maker.read(text), () => {
      isFound = true;
      return false;
    });
    return isFound;
  }

  add(text: string): number {
    return this.#insert(text, this.#maker.read(text));
  }

  addAndMatch(text: string): readonly number[] {
    const keys = this.#maker.read(text);
    const all = this.#matchesOf(keys);
    this.#insert(text, keys);
    return all;
  }
}

/** Opens an empty index for one threshold. Candidates come from MinHash LSH and are verified by exact Jaccard, so precision is 1. */
export function createNearDuplicateIndex(threshold: number): NearDuplicateIndex {
  return new Index(threshold);
}
