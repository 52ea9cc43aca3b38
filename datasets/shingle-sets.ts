import { hashWords, jaccard, SHORT_TEXT_WORDS, shingleHashes, wordRoom, type HashedWords } from './shingles.ts';

/** Texts this short are also indexed by three-word shingles, so that one of eleven words meets one of thirteen. */
export const BOTH_KINDS_WORDS = 16;

/** Sets kept in memory for verification; older ones are made again from the text when needed. */
const CACHED_SETS = 4096;

/** The shingles of a text of each kind that it is compared by. */
export interface ShingleSets {
  readonly short: Float64Array | null;
  readonly long: Float64Array | null;
}

/** The shingle sets of a text whose words are known. */
export function shingleSets(words: HashedWords): ShingleSets {
  return {
    short: words.count < BOTH_KINDS_WORDS ? shingleHashes(words, 3) : null,
    long: words.count >= SHORT_TEXT_WORDS ? shingleHashes(words, 5) : null,
  };
}

/** Jaccard of two texts by RULES: 5-shingles of words, or 3-shingles when one of them has fewer than 12 words. */
export function setSimilarity(a: ShingleSets, b: ShingleSets): number {
  if (a.long !== null && b.long !== null) return jaccard(a.long, b.long);
  return a.short !== null && b.short !== null ? jaccard(a.short, b.short) : 0;
}

/** Exact similarity of two texts as the near-duplicate rule measures it. */
export function textSimilarity(a: string, b: string): number {
  return setSimilarity(shingleSets(hashWords(a)), shingleSets(hashWords(b)));
}

/** The sets of numbered texts, the latest few kept. */
export class SetCache {
  readonly #textOf: (doc: number) => string;
  readonly #sets = new Map<number, ShingleSets>();
  readonly #words = wordRoom();

  constructor(textOf: (doc: number) => string) {
    this.#textOf = textOf;
  }

  of(doc: number): ShingleSets {
    const known = this.#sets.get(doc);
    if (known !== undefined) return known;
    const sets = shingleSets(hashWords(this.#textOf(doc), this.#words));
    if (this.#sets.size >= CACHED_SETS)
      for (const oldest of this.#sets.keys()) {
        this.#sets.delete(oldest);
        break;
      }
    this.#sets.set(doc, sets);
    return sets;
  }
}
