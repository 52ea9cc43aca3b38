/** Batches of calls (the latest row of an id holds) and the attempts each one carries. */
export const BATCHES_SQL = `
CREATE TABLE batches (no INTEGER, id VARCHAR, run_id VARCHAR, state VARCHAR, facts VARCHAR, at_ms BIGINT);
CREATE TABLE batch_calls (batch_id VARCHAR, key VARCHAR, attempt INTEGER);
CREATE VIEW latest_batches AS
  SELECT * FROM batches QUALIFY row_number() OVER (PARTITION BY id ORDER BY no DESC) = 1;
`;
