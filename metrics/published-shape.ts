/** Atoms per block of the published 74,800 blocks (SPEC §4.5). */
export const PUBLISHED_BLOCK_SIZES: readonly (readonly [atoms: number, blocks: number])[] = [
  [1, 15_000],
  [2, 11_252],
  [3, 33_448],
  [4, 1956],
  [5, 3817],
  [6, 3722],
  [7, 3751],
  [8, 288],
  [9, 318],
  [10, 312],
  [11, 280],
  [12, 286],
  [13, 56],
  [14, 51],
  [15, 40],
  [16, 41],
  [17, 42],
  [18, 45],
  [19, 45],
  [20, 50],
];

/** Levels of the published atoms, in percent: observed, not targets. */
export const PUBLISHED_LEVELS = { A: 84.3, B: 8.1, C: 7.6 } as const;

/** Atoms per published example. */
export const PUBLISHED_ATOMS = { mean: 15.6, median: 14 } as const;

/** Wanted shares of complexity and of density levels, in percent. */
export const WANTED_THIRDS = [25, 50, 25] as const;
