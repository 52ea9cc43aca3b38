/** The part of npm `minhash` that the tests use as an oracle; the package ships no types. */
declare module 'minhash' {
  export class Minhash {
    constructor(options: { readonly numPerm: number });
    update(text: string): void;
    jaccard(other: Minhash): number;
  }
}
