/** Orders of candidates, their rows (once by content hash) and what ingest rejected. An order is visible once its row stands. */
export const ORDERS_SQL = `
CREATE TABLE orders (order_no INTEGER, load_no INTEGER, id VARCHAR, created_at BIGINT, facts VARCHAR);
CREATE TABLE candidates (
  load_no INTEGER, domain VARCHAR, position INTEGER, candidate_id VARCHAR, stratum VARCHAR,
  source VARCHAR, source_id VARCHAR, row_no INTEGER, row_hash VARCHAR,
  quality_score INTEGER, topic VARCHAR, complexity VARCHAR, signal_families VARCHAR
);
CREATE TABLE source_rows (row_no INTEGER, row_hash VARCHAR, body BLOB);
CREATE TABLE row_rejections (
  load_no INTEGER, rejection_no INTEGER, source VARCHAR, source_dataset VARCHAR, source_id VARCHAR,
  reason VARCHAR, detail VARCHAR, file VARCHAR, file_row INTEGER
);
`;
