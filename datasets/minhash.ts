/** Slots of a signature. */
export const SLOTS = 128;

/** Constants of the 128 hash functions h → a·h + b mod 2³², fixed for ever: made by splitmix32 from one seed. */
function constants(seed: number, isOdd: boolean): Int32Array {
  const out = new Int32Array(SLOTS);
  let state = seed;
  for (let i = 0; i < SLOTS; i += 1) {
    state = (state + 0x9e3779b9) | 0;
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    out[i] = isOdd ? (z ^ (z >>> 15)) | 1 : z ^ (z >>> 15);
  }
  return out;
}

const MULTIPLY = constants(0x4d656d43, true);
const ADD = constants(0x616c6962, false);

/** Writes the MinHash signature of a set of 53-bit hashes into `into` (128 slots, the largest integer when the set is empty). Values are ordered as signed integers, which is faster and as good. */
export function minhash(set: Float64Array, into: Int32Array): void {
  const count = set.length;
  const hashes = new Int32Array(count);
  for (let i = 0; i < count; i += 1) hashes[i] = ((set[i] as number) / 2_097_152) | 0;
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const multiply = MULTIPLY[slot] as number;
    const add = ADD[slot] as number;
    let least = 0x7fffffff;
    for (let i = 0; i < count; i += 1) {
      const value = (Math.imul(hashes[i] as number, multiply) + add) | 0;
      if (value < least) least = value;
    }
    into[slot] = least;
  }
}

/** Bands × rows of the LSH: pairs at the threshold share a band with probability above 0.99. */
export function bandsFor(threshold: number): { readonly bands: number; readonly rows: number } {
  const rows = threshold >= 0.75 ? 5 : threshold >= 0.65 ? 4 : 3;
  return { bands: Math.floor(SLOTS / rows), rows };
}
