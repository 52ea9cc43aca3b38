import { deflateRawSync } from 'node:zlib';
import type { PlacedCandidate } from '../schemas/candidate.ts';
import type { OrderMakings } from '../schemas/row-shelf.ts';
import type { RowRejection } from '../schemas/source-row.ts';
import type { Database } from './duckdb.ts';
import type { OrderRow } from './port.ts';
import { appendColumns } from './append-columns.ts';
import { CandidateLoader } from './candidate-loader.ts';
import { moveCandidates } from './moved-candidates.ts';
import { number } from './rows.ts';
import { defineTable, insertInto } from './table.ts';
import { storableText, type TextRepairs } from './text.ts';

const ORDERS = defineTable('orders', { order_no: 'int', load_no: 'int', id: 'text', created_at: 'long', facts: 'text' });
const ORDER_UNITS = defineTable('order_units', { load_no: 'int', unit_no: 'int' });
const ORDER_CLUSTERS = defineTable('order_clusters', { load_no: 'int', body: 'blob' });
/** Rows per transaction while an order streams in. */
const LOAD_ROWS = 8192;

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
      if (makings?.moved) await moveCandidates(this.database, loadNo, makings.moved);
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
    const loader = new CandidateLoader(this.database, this.repairs, loadNo);
    await loader.begin();
    for await (const batch of batches) await loader.add(batch);
    await loader.end();
  }

  private async loadRejections(loadNo: number, batches: AsyncIterable<readonly RowRejection[]>): Promise<void> {
    const text = (value: string): string => storableText(value, this.repairs);
    let nextNo = 0;
    for await (const batch of batches) {
      const columns = [
        new Int32Array(batch.length).fill(loadNo),
        Int32Array.from(batch, (_, at) => nextNo + at),
        batch.map(({ source }) => text(source)),
        batch.map(({ sourceDataset }) => text(sourceDataset)),
        batch.map(({ sourceId }) => text(sourceId)),
        batch.map(({ reason }) => text(reason)),
        batch.map(({ detail }) => text(detail)),
        batch.map(({ origin }) => text(origin.file)),
        Int32Array.from(batch, ({ origin }) => origin.row),
      ];
      nextNo += batch.length;
      await this.database.transaction((writer) => appendColumns(writer, { name: 'row_rejections' }, columns));
    }
  }
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
