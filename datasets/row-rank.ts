import type { HeldRows } from './held-rows.ts';

/** How many times new rows had come before a row came: 0 for those of the first ingest. */
export type AgeOf = (row: number) => number;

/** Ages by the number of a row on its shelf: `boundaries` are the numbers at which each time began after the first, ascending. */
export function agesBy(rows: HeldRows, boundaries: readonly number[]): AgeOf {
  if (boundaries.length === 0) return () => 0;
  return (row) => {
    const rowNo = rows.rowNo(row);
    let age = boundaries.length;
    while (age > 0 && (boundaries[age - 1] ?? 0) > rowNo) age -= 1;
    return age;
  };
}

/** Best first among rows that came at one time: higher score, then lower id, then earlier place; a total order. */
export function compareRank(rows: HeldRows, a: number, b: number): number {
  return rows.score(b) - rows.score(a) || rows.compareIds(a, b) || rows.comparePlaces(a, b);
}

/** Sorts rows by `compareRank`: by score and 32 bits of the id as numbers, where these are equal in full. */
function sortByRank(rows: HeldRows, list: Uint32Array): Uint32Array {
  const words = new Uint32Array(list.length * 2);
  list.forEach((row, at) => {
    const id = rows.idHigh(row);
    // 7 bits of score, 32 of the id, 24 of the row; little-endian on every machine that DuckDB runs on.
    words[at * 2] = ((id & 0x7f) << 24) | row;
    words[at * 2 + 1] = ((100 - rows.score(row)) << 25) | (id >>> 7);
  });
  new BigUint64Array(words.buffer).sort();
  const sorted = Uint32Array.from(list, (_, at) => (words[at * 2] as number) & 0xff_ffff);
  const isTie = (at: number): boolean =>
    words[at * 2 + 1] === words[at * 2 - 1] && (words[at * 2] as number) >>> 24 === (words[at * 2 - 2] as number) >>> 24;
  for (let from = 0; from < sorted.length;) {
    let to = from + 1;
    while (to < sorted.length && isTie(to)) to += 1;
    if (to - from > 1) sorted.subarray(from, to).sort((a, b) => compareRank(rows, a, b));
    from = to;
  }
  return sorted;
}

/** All rows, those that came earlier first, then best first; the outcome never depends on the order of reading. */
export function rankRows(rows: HeldRows, ageOf: AgeOf): Uint32Array {
  const ages = Uint32Array.from({ length: rows.count }, (_, row) => ageOf(row));
  const counts: number[] = [];
  for (const age of ages) counts[age] = (counts[age] ?? 0) + 1;
  const ranked = new Uint32Array(rows.count);
  let from = 0;
  for (const [age, count = 0] of counts.entries()) {
    if (count === 0) continue;
    const own = new Uint32Array(count);
    let next = 0;
    ages.forEach((of, row) => {
      if (of === age) own[next++] = row;
    });
    ranked.set(sortByRank(rows, own), from);
    from += count;
  }
  return ranked;
}
