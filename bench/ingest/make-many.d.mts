/** Writes `<domain>-<prefix>.jsonl` for the three domains into a folder, `count` rows in all. */
export function makeMany(folder: string, count: number, prefix?: string, seed?: number): void;
