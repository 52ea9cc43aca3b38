/** Blocks per example and how often each number stands among the published 15,000 examples (SPEC §4.5). */
export const BLOCK_COUNTS: readonly (readonly [blocks: number, per15000: number])[] = [
  [3, 4200],
  [4, 3600],
  [5, 2700],
  [6, 1800],
  [7, 1052],
  [8, 600],
  [9, 376],
  [10, 224],
  [11, 148],
  [12, 104],
  [13, 76],
  [14, 44],
  [15, 32],
  [16, 20],
  [17, 12],
  [18, 4],
  [19, 4],
  [20, 4],
];

/** Examples the block counts add up to. */
export const EXAMPLES_IN_TABLE = 15_000;

/** Shares of the three density levels within a domain. */
export const DENSITY_SHARES = { 1: 0.25, 2: 0.5, 3: 0.25 } as const;

/** Most atoms an example may hold; the published maximum. */
export const MAX_SLOTS = 63;

/** One way to fill a level: its share, the sizes of its focus blocks (inclusive ranges) and the size of all other blocks but the singleton. */
export interface SizeRecipe {
  readonly share: number;
  readonly focus: readonly (readonly [least: number, most: number])[];
  readonly rest: number;
}

/** Sizes by density level: always one singleton, the focus blocks drawn evenly from their range, the rest fixed (SPEC §4.5). */
export const SIZE_RECIPES: Readonly<Record<1 | 2 | 3, readonly SizeRecipe[]>> = {
  1: [{ share: 1, focus: [[3, 4]], rest: 2 }],
  2: [{ share: 1, focus: [[5, 7]], rest: 3 }],
  3: [
    { share: 0.4, focus: [[8, 12]], rest: 3 },
    { share: 0.1, focus: [[13, 20]], rest: 3 },
    {
      share: 0.5,
      focus: [
        [5, 7],
        [5, 7],
      ],
      rest: 3,
    },
  ],
};

/** Bumped by hand when the tables or the recipe of the block plan, the scenes or the families draw differently; part of the pipeline hash. */
export const PLAN_VERSION = 2;
