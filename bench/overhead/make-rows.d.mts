/** Writes `<domain>.jsonl` for the three domains into a folder, `count` rows in all. */
export function makeRows(folder: string, count: number): void;
