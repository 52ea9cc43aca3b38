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

  #candidates(keys: number): Set<number> | null {
    let candidates: Set<number> | null = null;
    for (let at = 0; at < keys; at += 1) candidates = this.#table.collect(this.#maker.keys[at] as number, candidates);
    return candidates;
  }

  /** Hands every match of the text read last to `found`, which says whether to go on. */
  #visit(candidates: Set<number> | null, found: (other: number) => boolean): void {
    if (candidates === null) return;
    const sets = shingleSets(this.#maker.words);
    for (const doc of candidates) if (setSimilarity(sets, this.#cache.of(doc)) >= this.#threshold && !found(doc)) return;
  }

  #matchesOf(candidates: Set<number> | null): readonly number[] {
    const all: number[] = [];
    this.#visit(candidates, (doc) => all.push(doc) > 0);
    return all.sort((a, b) => a - b);
  }

  matches(text: string): readonly number[] {
    return this.#matchesOf(this.#candidates(this.#maker.read(text)));
  }

  isNearDuplicate(text: string): boolean {
    let isFound = false;
    this.#visit(this.#candidates(this.#maker.read(text)), () => {
      isFound = true;
      return false;
    });
    return isFound;
  }

  add(text: string): number {
    const doc = this.#texts.push(text) - 1;
    this.#table.addAndCollect(this.#maker.keys, this.#maker.read(text), doc);
    return doc;
  }

  addAndMatch(text: string): readonly number[] {
    const doc = this.#texts.push(text) - 1;
    return this.#matchesOf(this.#table.addAndCollect(this.#maker.keys, this.#maker.read(text), doc));
  }
}

/** Opens an empty index for one threshold. Candidates come from MinHash LSH and are verified by exact Jaccard, so precision is 1. */
export function createNearDuplicateIndex(threshold: number): NearDuplicateIndex {
  return new Index(threshold);
}
