import type { HeldRows } from './held-rows.ts';
import { NONE } from './passed-rows.ts';

/** A row by the unit it was read from and its number there: the same in every ingest that has the unit. */
interface Stored {
  /** By unit: how many rows it has and which of them took part, a bit each. */
  readonly units: readonly { readonly unit: number; readonly rows: number; readonly took: string }[];
  /** Clusters of two and more: pairs of unit and number, one after another. */
  readonly clusters: readonly (readonly number[])[];
}

/** Writes down which rows took part and which of them are near one another. */
export function storeClusters(rows: HeldRows, tookPart: Uint8Array, rootOf: Uint32Array): Uint8Array {
  const units = rows.units().map(({ unit, from, count }) => {
    const bits = new Uint8Array(Math.ceil(count / 8));
    for (let at = 0; at < count; at += 1) if (tookPart[from + at] === 1) bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
    return { unit, rows: count, took: Buffer.from(bits).toString('base64') };
  });
  const members = new Map<number, number[]>();
  for (let row = 0; row < rows.count; row += 1) {
    const root = rootOf[row] as number;
    if (tookPart[row] !== 1 || root === row) continue;
    const list = members.get(root) ?? [root];
    members.set(root, list);
    list.push(row);
  }
  const clusters = [...members.values()].map((list) => list.flatMap((row) => rows.inUnit(row)));
  return Buffer.from(JSON.stringify({ units, clusters } satisfies Stored));
}

/**
 * Finds the rows of now in what was written down: for each row the first row of its cluster, or `NONE` where it is not known what is near it.
 * A cluster of which a member does not take part now counts as unknown.
 */
export function readClusters(rows: HeldRows, tookPart: Uint8Array, stored: Uint8Array): Uint32Array {
  const { units, clusters } = JSON.parse(Buffer.from(stored).toString('utf8')) as Stored;
  const rootOf = new Uint32Array(rows.count).fill(NONE);
  const placeOf = new Map(rows.units().map(({ unit, from, count }) => [unit, { from, count }]));
  for (const { unit, rows: count, took } of units) {
    const place = placeOf.get(unit);
    if (place?.count !== count) continue;
    const bits = Buffer.from(took, 'base64');
    for (let at = 0; at < count; at += 1) {
      const row = place.from + at;
      if (((bits[at >> 3] as number) >> (at & 7)) & 1 && tookPart[row] === 1) rootOf[row] = row;
    }
  }
  for (const cluster of clusters) {
    const members: number[] = [];
    for (let at = 0; at < cluster.length; at += 2) {
      const place = placeOf.get(cluster[at] as number);
      members.push(place === undefined ? NONE : place.from + (cluster[at + 1] as number));
    }
    const isWhole = members.every((row) => row !== NONE && rootOf[row] !== NONE);
    const root = Math.min(...members);
    for (const row of members) if (row !== NONE) rootOf[row] = isWhole ? root : NONE;
  }
  return rootOf;
}
