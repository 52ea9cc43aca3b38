import type { HeldRows } from '../datasets/held-rows.ts';
import type { PlacedRows } from '../schemas/row-shelf.ts';

const hasBit = (bits: Uint8Array, at: number): boolean => (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;

/**
 * 1 for each row that is surely the candidate of an earlier order that has its number: its unit was part of that order, and no other row had or
 * has its number, as all units of that order are still here. Null when there are none.
 */
export function rowsPlacedBefore(held: HeldRows, placed: PlacedRows | null): Uint8Array | null {
  if (placed === null) return null;
  const units = held.units();
  const now = new Set(units.map(({ unit }) => unit));
  if ([...placed.units].some((unit) => !now.has(unit))) return null;
  let last = 0;
  for (let row = 0; row < held.count; row += 1) last = Math.max(last, held.rowNo(row));
  const [seen, repeated] = [new Uint8Array((last >> 3) + 1), new Uint8Array((last >> 3) + 1)];
  for (let row = 0; row < held.count; row += 1) {
    const rowNo = held.rowNo(row);
    const bits = hasBit(seen, rowNo) ? repeated : seen;
    bits[rowNo >> 3] = (bits[rowNo >> 3] as number) | (1 << (rowNo & 7));
  }
  const before = new Uint8Array(held.count);
  for (const { unit, from, count } of units) {
    if (!placed.units.has(unit)) continue;
    for (let row = from; row < from + count; row += 1) {
      const rowNo = held.rowNo(row);
      if (hasBit(placed.rowNos, rowNo) && !hasBit(repeated, rowNo)) before[row] = 1;
    }
  }
  return before;
}
