/** Verdicts of steps (first stored wins), outcomes of candidates (latest holds) and recorded waivers. */
export const VERDICTS_SQL = `
CREATE TABLE step_outputs (
  no INTEGER, key VARCHAR, candidate_id VARCHAR, step VARCHAR, step_version VARCHAR, input_hash VARCHAR,
  verdict VARCHAR, reason VARCHAR, detail VARCHAR, output VARCHAR, flags VARCHAR, call_keys VARCHAR, run_id VARCHAR, at_ms BIGINT
);
CREATE TABLE outcomes (
  no INTEGER, candidate_id VARCHAR, pipeline_hash VARCHAR, row_hash VARCHAR, status VARCHAR, step VARCHAR, reason VARCHAR,
  detail VARCHAR, query VARCHAR, example VARCHAR, call_keys VARCHAR, trail VARCHAR, run_id VARCHAR, at_ms BIGINT
);
CREATE TABLE waivers (no INTEGER, candidate_id VARCHAR, pipeline_hash VARCHAR, run_id VARCHAR, at_ms BIGINT);
CREATE VIEW latest_outcomes AS
  SELECT * FROM outcomes QUALIFY row_number() OVER (PARTITION BY candidate_id, pipeline_hash, row_hash ORDER BY no DESC) = 1;
`;
