import type { MovedCandidates } from '../schemas/row-shelf.ts';
import { appendColumns } from './append-columns.ts';
import type { Database } from './duckdb.ts';
import { StoreError } from './errors.ts';
import { loadNumber } from './order-queries.ts';

/** Stores candidates that an earlier order has too: DuckDB copies them, and only their places come from here. */
export async function moveCandidates(database: Database, loadNo: number, { orderId, rowNos, positions }: MovedCandidates): Promise<void> {
  const from = await loadNumber(database, orderId);
  await database.transaction(async (writer) => {
    await writer.run('CREATE OR REPLACE TEMP TABLE moved_places (row_no INTEGER, position INTEGER)');
    await appendColumns(writer, { name: 'moved_places', catalog: 'temp' }, [rowNos, positions]);
    const { rowsChanged } = await writer.run(`
      INSERT INTO candidates
      SELECT ${loadNo}, c.domain, p.position, c.candidate_id, c.stratum, c.source, c.source_id, c.row_no, c.row_hash,
             c.quality_score, c.topic, c.complexity, c.signal_families, c.origin_file, c.origin_row
      FROM candidates c JOIN moved_places p USING (row_no) WHERE c.load_no = ${from ?? -1}`);
    if (rowsChanged !== rowNos.length)
      throw new StoreError(
        'corrupt_file',
        `The stored order ${orderId.slice(0, 12)} has ${rowsChanged} of ${rowNos.length} candidates; put back a copy of the project folder, then type \`memcalib plan\`.`,
      );
    await writer.run('DROP TABLE moved_places');
  });
}
