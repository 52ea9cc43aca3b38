/** Runs and their states, gates, releases and named facts: append-only, the highest `no` is the latest. */
export const RUNS_SQL = `
CREATE TABLE runs (
  no INTEGER, id VARCHAR, label VARCHAR, kind VARCHAR, pipeline_hash VARCHAR, order_id VARCHAR,
  seed VARCHAR, config VARCHAR, started_at BIGINT
);
CREATE TABLE run_states (no INTEGER, run_id VARCHAR, state VARCHAR, reason VARCHAR, until_ms BIGINT, at_ms BIGINT);
CREATE TABLE gates (no INTEGER, scope VARCHAR, closed INTEGER, reason VARCHAR, detail VARCHAR, until_ms BIGINT, at_ms BIGINT);
CREATE TABLE releases (no INTEGER, id VARCHAR, run_id VARCHAR, manifest VARCHAR, folder VARCHAR, at_ms BIGINT);
CREATE TABLE facts (no INTEGER, name VARCHAR, value VARCHAR, at_ms BIGINT);
`;
