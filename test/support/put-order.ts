import type { Candidate, PlacedCandidate } from '../../schemas/candidate.ts';
import type { RowRejection } from '../../schemas/source-row.ts';
import type { OrderRow, Store } from '../../store/port.ts';
import { packSourceRow } from '../../store/row-shelf.ts';

async function* placed(store: Store, pages: AsyncIterable<readonly Candidate[]>): AsyncGenerator<readonly PlacedCandidate[]> {
  for await (const page of pages) {
    const out: PlacedCandidate[] = [];
    for (const { row, ...candidate } of page) {
      const { hash, body } = packSourceRow(row);
      const [rowNo = 0] = await store.rows.keep({ hashes: hash, bodies: body, ends: Uint32Array.of(body.length) });
      const { source, sourceId, origin } = row;
      out.push({ ...candidate, source, sourceId, origin, rowNo, rowHash: Buffer.from(hash).toString('hex') });
    }
    yield out;
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
