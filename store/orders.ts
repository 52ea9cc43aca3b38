import { deflateRawSync } from 'node:zlib';
import type { PlacedCandidate } from '../schemas/candidate.ts';
import type { OrderMakings } from '../schemas/row-shelf.ts';
import type { RowRejection } from '../schemas/source-row.ts';
import type { Database } from './duckdb.ts';
import type { OrderRow } from './port.ts';
import { number } from './rows.ts';
import { defineTable, insertInto } from './table.ts';
import type { TextRepairs } from './text.ts';

const ORDERS = defineTable('orders', { order_no: 'int', load_no: 'int', id: 'text', created_at: 'long', facts: 'text' });
const CANDIDATES = defineTable('candidates', {
  load_no: 'int',
  domain: 'text',
  position: 'int',
  candidate_id: 'text',
  stratum: 'text',
  source: 'text',
  source_id: 'text',
  row_no: 'int',
  row_hash: 'text',
  quality_score: 'int',
  topic: 'text',
  complexity: 'text',
  signal_families: 'text',
  origin_file: 'text',
  origin_row: 'int',
});
const ORDER_UNITS = defineTable('order_units', { load_no: 'int', unit_no: 'int' });
const ORDER_CLUSTERS = defineTable('order_clusters', { load_no: 'int', body: 'blob' });
const REJECTIONS = defineTable('row_rejections', {
  load_no: 'int',
  rejection_no: 'int',
  source: 'text',
  source_dataset: 'text',
  source_id: 'text',
  reason: 'text',
  detail: 'text',
  file: 'text',
  file_row: 'int',
});

/** Rows per transaction while an order streams in. */
const LOAD_ROWS = 2048;

/** Streams orders into the store; an order shows only once its own row stands, so a crash leaves nothing visible. */
export class OrderLoader {
  private readonly database: Database;
  private readonly repairs: TextRepairs;
  private last: Promise<void> = Promise.resolve();

  constructor(database: Database, repairs: TextRepairs) {
    this.database = database;
    this.repairs = repairs;
  }

  /** Stores an order after any other being stored. An id stored before becomes the latest again; its streams are not read. */
  put(
    order: OrderRow,
    candidates: AsyncIterable<readonly PlacedCandidate[]>,
    rejections: AsyncIterable<readonly RowRejection[]>,
    makings?: OrderMakings,
  ): Promise<void> {
    const done = this.last.then(() => this.load(order, candidates, rejections, makings));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async load(
    order: OrderRow,
    candidates: AsyncIterable<readonly PlacedCandidate[]>,
    rejections: AsyncIterable<readonly RowRejection[]>,
    makings: OrderMakings | undefined,
  ): Promise<void> {
    const [row] = await this.database.read(
      `SELECT coalesce(max(order_no), 0) + 1 AS order_no, coalesce(max(load_no), 0) + 1 AS next_load,
              max(load_no) FILTER (id = $1) AS load_no FROM orders`,
      [order.id],
    );
    const orderNo = row === undefined ? 1 : number(row, 'order_no');
    let loadNo = row?.['load_no'];
    if (typeof loadNo !== 'number') {
      loadNo = row === undefined ? 1 : number(row, 'next_load');
      await this.dropUnfinishedLoads();
      await this.loadStreams(loadNo, candidates, rejections);
      if (makings !== undefined) await this.loadMakings(loadNo, makings);
    }
    const { id, createdAt, facts } = order;
    await this.database.write([
      insertInto(ORDERS, [{ order_no: orderNo, load_no: loadNo, id, created_at: createdAt, facts }], this.repairs),
    ]);
  }

  private async loadMakings(loadNo: number, { units, clusters }: OrderMakings): Promise<void> {
    await this.database.write([
      insertInto(
        ORDER_UNITS,
        units.map((unit) => ({ load_no: loadNo, unit_no: unit })),
        this.repairs,
      ),
      insertInto(ORDER_CLUSTERS, [{ load_no: loadNo, body: deflateRawSync(clusters, { level: 1 }) }], this.repairs),
    ]);
  }

  private async dropUnfinishedLoads(): Promise<void> {
    await this.database.transaction(async (writer) => {
      await writer.run('DELETE FROM candidates WHERE load_no NOT IN (SELECT load_no FROM orders)');
      await writer.run('DELETE FROM row_rejections WHERE load_no NOT IN (SELECT load_no FROM orders)');
      await writer.run('DELETE FROM order_units WHERE load_no NOT IN (SELECT load_no FROM orders)');
      await writer.run('DELETE FROM order_clusters WHERE load_no NOT IN (SELECT load_no FROM orders)');
    });
  }

  private async loadStreams(
    loadNo: number,
    candidates: AsyncIterable<readonly PlacedCandidate[]>,
    rejections: AsyncIterable<readonly RowRejection[]>,
  ): Promise<void> {
    const stop = new AbortController();
    const stopping = async (load: Promise<void>): Promise<void> => {
      await load.catch((error: unknown) => {
        stop.abort();
        throw error;
      });
    };
    // Both streams advance together: they may be two ends of one reader. A failure of one ends the other.
    const ends = await Promise.allSettled([
      stopping(this.loadCandidates(loadNo, inBatches(candidates, stop.signal))),
      stopping(this.loadRejections(loadNo, inBatches(rejections, stop.signal))),
    ]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async loadCandidates(loadNo: number, batches: AsyncIterable<readonly PlacedCandidate[]>): Promise<void> {
    for await (const batch of batches)
      await this.database.write([
        insertInto(
          CANDIDATES,
          batch.map((candidate) => candidateRow(loadNo, candidate)),
          this.repairs,
        ),
      ]);
  }

  private async loadRejections(loadNo: number, batches: AsyncIterable<readonly RowRejection[]>): Promise<void> {
    let nextNo = 0;
    for await (const batch of batches) {
      const rows = batch.map((rejection) => ({
        load_no: loadNo,
        rejection_no: nextNo++,
        source: rejection.source,
        source_dataset: rejection.sourceDataset,
        source_id: rejection.sourceId,
        reason: rejection.reason,
        detail: rejection.detail,
        file: rejection.origin.file,
        file_row: rejection.origin.row,
      }));
      await this.database.write([insertInto(REJECTIONS, rows, this.repairs)]);
    }
  }
}

function candidateRow(loadNo: number, candidate: PlacedCandidate) {
  const { measures, origin } = candidate;
  return {
    load_no: loadNo,
    domain: candidate.domain,
    position: candidate.position,
    candidate_id: candidate.id,
    stratum: candidate.stratum,
    source: candidate.source,
    source_id: candidate.sourceId,
    row_no: candidate.rowNo,
    row_hash: candidate.rowHash,
    quality_score: measures.qualityScore,
    topic: measures.topic,
    complexity: measures.complexity,
    signal_families: JSON.stringify(measures.signalFamilies),
    origin_file: origin.file,
    origin_row: origin.row,
  };
}

async function* inBatches<T>(stream: AsyncIterable<readonly T[]>, stop: AbortSignal): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const items of stream) {
    for (const item of items) {
      batch.push(item);
      if (batch.length < LOAD_ROWS) continue;
      yield batch;
      batch = [];
    }
    if (stop.aborted) return;
  }
  if (batch.length > 0) yield batch;
}
