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

/**
 * Writes the MinHash signature of the first `count` 32-bit hashes into `into` (128 slots, the largest integer when there are none); repeats change
 * nothing. Values are ordered as signed integers, which is faster and as good. Four slots share one pass over the hashes.
 */
export function minhash(hashes: Int32Array, count: number, into: Int32Array): void {
  for (let slot = 0; slot < SLOTS; slot += 4) {
    const m0 = MULTIPLY[slot] as number;
    const m1 = MULTIPLY[slot + 1] as number;
    const m2 = MULTIPLY[slot + 2] as number;
    const m3 = MULTIPLY[slot + 3] as number;
    const a0 = ADD[slot] as number;
    const a1 = ADD[slot + 1] as number;
    const a2 = ADD[slot + 2] as number;
    const a3 = ADD[slot + 3] as number;
    let l0 = 0x7fffffff;
    let l1 = 0x7fffffff;
    let l2 = 0x7fffffff;
    let l3 = 0x7fffffff;
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i] as number;
      const v0 = (Math.imul(hash, m0) + a0) | 0;
      const v1 = (Math.imul(hash, m1) + a1) | 0;
      const v2 = (Math.imul(hash, m2) + a2) | 0;
      const v3 = (Math.imul(hash, m3) + a3) | 0;
      if (v0 < l0) l0 = v0;
      if (v1 < l1) l1 = v1;
      if (v2 < l2) l2 = v2;
      if (v3 < l3) l3 = v3;
    }
    into[slot] = l0;
    into[slot + 1] = l1;
    into[slot + 2] = l2;
    into[slot + 3] = l3;
  }
}

/** Bands × rows of the LSH: pairs at the threshold share a band with probability above 0.99. */
export function bandsFor(threshold: number): { readonly bands: number; readonly rows: number } {
  const rows = threshold >= 0.75 ? 5 : threshold >= 0.65 ? 4 : 3;
  return { bands: Math.floor(SLOTS / rows), rows };
}
