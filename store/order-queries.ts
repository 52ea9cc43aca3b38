import { COMPLEXITIES, DOMAINS } from '../schemas/domains.ts';
import { hashOf } from '../schemas/hash.ts';
import type { Domain } from '../schemas/levels.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import { inflateBody } from './bodies.ts';
import type { Database } from './duckdb.ts';
import { StoreError } from './errors.ts';
import { rowsByNumber } from './number-ranges.ts';
import type { OrderRow, StoredCandidate } from './port.ts';
import { bytesOrNull, number, oneOf, text, textOrNull, type Param, type ResultRow } from './rows.ts';

const PAGE_ROWS = 2048;

/** The number under which an order's rows stand; null when the order is not (wholly) stored. */
export async function loadNumber(database: Database, orderId: string): Promise<number | null> {
  const [row] = await database.read('SELECT max(load_no) AS load_no FROM orders WHERE id = $1', [orderId]);
  return row === undefined || row['load_no'] === null ? null : number(row, 'load_no');
}

/** An order by id, or the latest one. */
export async function readOrder(database: Database, id: string | null): Promise<OrderRow | null> {
  const [row] = await database.read(
    `SELECT id, created_at, facts FROM orders ${id === null ? '' : 'WHERE id = $1'} ORDER BY order_no DESC LIMIT 1`,
    id === null ? [] : [id],
  );
  return row === undefined ? null : { id: text(row, 'id'), createdAt: number(row, 'created_at'), facts: text(row, 'facts') };
}

/** Candidates of a load that meet a condition, by position, with their verified source rows. */
export async function readCandidates(
  database: Database,
  loadNo: number,
  condition: string,
  params: readonly Param[],
): Promise<readonly StoredCandidate[]> {
  const found = await database.read(
    `SELECT * FROM candidates WHERE load_no = ${loadNo} AND ${condition} ORDER BY domain, position`,
    params,
  );
  const bodies = await rowsByNumber(
    database,
    'source_rows',
    'row_no',
    'row_no, body',
    found.map((row) => number(row, 'row_no')),
  );
  const bodyOf = new Map(bodies.map((row) => [number(row, 'row_no'), bytesOrNull(row, 'body')]));
  return found.map((row) => storedCandidate(row, bodyOf.get(number(row, 'row_no')) ?? null));
}

/** Candidates per domain and source. */
export async function countCandidates(
  database: Database,
  loadNo: number,
): Promise<readonly { readonly domain: Domain; readonly source: string; readonly count: number }[]> {
  const rows = await database.read(
    `SELECT domain, source, count(*) AS n FROM candidates WHERE load_no = ${loadNo} GROUP BY ALL ORDER BY domain, source`,
  );
  return rows.map((row) => ({ domain: oneOf(row, 'domain', DOMAINS), source: text(row, 'source'), count: number(row, 'n') }));
}

/** Rejections per source and reason. */
export async function countRejections(
  database: Database,
  loadNo: number,
): Promise<readonly { readonly source: string; readonly reason: string; readonly count: number }[]> {
  const rows = await database.read(
    `SELECT source, reason, count(*) AS n FROM row_rejections WHERE load_no = ${loadNo} GROUP BY ALL ORDER BY source, reason`,
  );
  return rows.map((row) => ({ source: text(row, 'source'), reason: text(row, 'reason'), count: number(row, 'n') }));
}

/** Rejections of a load in the order they were found, a page at a time; no reader is held between pages. */
export async function* pageRejections(database: Database, loadNo: number): AsyncGenerator<readonly RowRejection[]> {
  let from = 0;
  for (;;) {
    const rows = await database.read(
      `SELECT * FROM row_rejections WHERE load_no = ${loadNo} AND rejection_no >= ${from} AND rejection_no < ${from + PAGE_ROWS} ORDER BY rejection_no`,
    );
    if (rows.length === 0) return;
    yield rows.map((row) => ({
      source: text(row, 'source'),
      sourceDataset: text(row, 'source_dataset'),
      sourceId: text(row, 'source_id'),
      reason: text(row, 'reason'),
      detail: text(row, 'detail'),
      origin: { file: text(row, 'file'), row: number(row, 'file_row') },
    }));
    from += PAGE_ROWS;
  }
}

function storedCandidate(row: ResultRow, body: Uint8Array | null): StoredCandidate {
  const rowHash = text(row, 'row_hash');
  return {
    rowHash,
    candidate: {
      id: text(row, 'candidate_id'),
      domain: oneOf(row, 'domain', DOMAINS),
      position: number(row, 'position'),
      stratum: text(row, 'stratum'),
      row: { ...sourceRowFrom(body, rowHash, text(row, 'source_id')), ...placeOf(row) },
      measures: {
        qualityScore: number(row, 'quality_score'),
        topic: text(row, 'topic'),
        complexity: oneOf(row, 'complexity', COMPLEXITIES),
        signalFamilies: JSON.parse(text(row, 'signal_families')) as string[],
      },
    },
  };
}

/** Stores of before kept the place in the row itself: there it stands already. */
function placeOf(row: ResultRow): Pick<SourceRow, 'origin'> | null {
  const file = textOrNull(row, 'origin_file');
  return file === null ? null : { origin: { file, row: number(row, 'origin_row') } };
}

function sourceRowFrom(body: Uint8Array | null, rowHash: string, sourceId: string): SourceRow {
  const plain = body === null ? null : inflateBody(body);
  if (plain !== null) {
    const row = parsedOrNull(plain);
    if (row !== null && hashOf(row) === rowHash) return row;
  }
  throw new StoreError(
    'corrupt_body',
    `The stored source row ${sourceId} (${rowHash}) does not match its checksum; put back a copy of the project folder, then type \`memcalib build\`.`,
  );
}

function parsedOrNull(plain: Buffer): SourceRow | null {
  try {
    return JSON.parse(plain.toString('utf8')) as SourceRow;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Last position of each source of a domain. */
export async function lastPositions(
  database: Database,
  loadNo: number,
  domain: Domain,
): Promise<readonly { readonly source: string; readonly position: number }[]> {
  const rows = await database.read(
    `SELECT source, max(position) AS position FROM candidates WHERE load_no = ${loadNo} AND domain = $1 GROUP BY source ORDER BY source`,
    [domain],
  );
  return rows.map((row) => ({ source: text(row, 'source'), position: number(row, 'position') }));
}
