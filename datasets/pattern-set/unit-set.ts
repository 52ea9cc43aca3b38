/** A set of UTF-16 units as ranges, both ends included. */
export type UnitSet = readonly (readonly [from: number, to: number])[];

const LAST = 0xffff;

/** `\w`, `\d`, `\s` and the line ends of JavaScript's regular expressions without the flag `u`. */
export const WORD_UNITS: UnitSet = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
export const DIGIT_UNITS: UnitSet = [[48, 57]];
export const SPACE_UNITS: UnitSet = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
export const LINE_END_UNITS: UnitSet = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
export const ANY_UNIT: UnitSet = [[0, LAST]];
export const NON_ASCII_UNITS: UnitSet = [[128, LAST]];

/** Whether a unit is in a set. */
export function hasUnit(set: UnitSet, unit: number): boolean {
  return set.some(([from, to]) => unit >= from && unit <= to);
}

/** All units that are not in a set. */
export function inverted(set: UnitSet): UnitSet {
  const out: [number, number][] = [];
  let next = 0;
  for (const [from, to] of [...set].sort((a, b) => a[0] - b[0])) {
    if (from > next) out.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST) out.push([next, LAST]);
  return out;
}

/** A set with both cases of its ASCII letters, as the flag `i` without `u` has it: other letters never meet ASCII ones there. */
export function bothCases(set: UnitSet): UnitSet {
  const out: (readonly [number, number])[] = [...set];
  for (const [from, to] of set) {
    const upper = [Math.max(from, 65), Math.min(to, 90)] as const;
    const lower = [Math.max(from, 97), Math.min(to, 122)] as const;
    if (upper[0] <= upper[1]) out.push([upper[0] + 32, upper[1] + 32]);
    if (lower[0] <= lower[1]) out.push([lower[0] - 32, lower[1] - 32]);
  }
  return out;
}
