import type { Candidate, PlacedCandidate } from '../../schemas/candidate.ts';
import type { RowRejection } from '../../schemas/source-row.ts';
import type { OrderRow, Store } from '../../store/port.ts';
import { packSourceRow } from '../../store/row-shelf.ts';

async function* placed(store: Store, pages: AsyncIterable<readonly Candidate[]>): AsyncGenerator<readonly PlacedCandidate[]> {
  for await (const page of pages) {
    const packed = page.map(({ row }) => packSourceRow(row));
    let end = 0;
    const rowNos = await store.rows.keep({
      hashes: Buffer.concat(packed.map(({ hash }) => hash)),
      bodies: Buffer.concat(packed.map(({ body }) => body)),
      ends: Uint32Array.from(packed, ({ body }) => (end += body.length)),
    });
    yield page.map(({ row: { source, sourceId, origin }, ...candidate }, at) => ({
      ...candidate,
      source,
      sourceId,
      origin,
      rowNo: rowNos[at] ?? 0,
    }));
  }
}

/** Stores an order of candidates that hold their rows, as ingest does it: each row is put aside before its place is stored. */
export async function putOrder(
  store: Store,
  order: OrderRow,
  candidates: AsyncIterable<readonly Candidate[]>,
  rejections: AsyncIterable<readonly RowRejection[]>,
): Promise<void> {
  await store.putOrder(order, placed(store, candidates), rejections);
}
