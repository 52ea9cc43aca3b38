import { bandsFor, minhash, SLOTS } from './minhash.ts';
import { hashWords, SHORT_TEXT_WORDS, shingleHighs, wordRoom, type HashedWords } from './shingles.ts';
import { BOTH_KINDS_WORDS } from './shingle-sets.ts';

/** Turns texts into band keys: texts that share one may be near-duplicates. */
export interface BandKeys {
  /** The keys of the text read last, and what older texts left behind them. */
  readonly keys: Uint32Array;
  /** Writes the keys of a text into `keys` and gives their number. */
  readonly read: (text: string) => number;
  /** The words of the text read last. */
  readonly words: HashedWords;
}

/** One pair of rooms serves all texts, so nothing is allocated for most of them. */
class KeyMaker implements BandKeys {
  readonly keys = new Uint32Array(2 * SLOTS);
  readonly words = wordRoom();
  readonly #threshold: number;
  readonly #signature = new Int32Array(SLOTS);
  #highs = new Int32Array(1024);

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  read(text: string): number {
    const words = hashWords(text, this.words);
    let count = 0;
    if (words.count >= SHORT_TEXT_WORDS) count = this.#add(5, 0, count);
    if (words.count < BOTH_KINDS_WORDS) count = this.#add(3, 1, count);
    return count;
  }

  /** Band keys of one signature; the band's number and the kind of shingle are hashed in, so one table serves all. */
  #add(size: number, kind: number, from: number): number {
    if (this.#highs.length < this.words.count) this.#highs = new Int32Array(this.words.count * 2);
    minhash(this.#highs, shingleHighs(this.words, size, this.#highs), this.#signature);
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

/** Opens a maker of band keys for one threshold. */
export function createBandKeys(threshold: number): BandKeys {
  return new KeyMaker(threshold);
}
