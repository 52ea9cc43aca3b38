/** The call ledger: narrow intents and completions, bodies apart; texts that many calls share (system prompts, formats) stand once. */
export const LEDGER_SQL = `
CREATE TABLE calls (
  call_no INTEGER, key VARCHAR, attempt INTEGER, series INTEGER, run_id VARCHAR, step VARCHAR, part_id VARCHAR,
  candidate_id VARCHAR, role VARCHAR, turn VARCHAR, provider VARCHAR, model VARCHAR, max_tokens INTEGER, intended_at BIGINT
);
CREATE TABLE call_requests (call_no INTEGER, body BLOB, sha256 VARCHAR);
CREATE TABLE shared_texts (hash VARCHAR, body BLOB);
CREATE TABLE completions (
  completion_no INTEGER, call_no INTEGER, class VARCHAR, finish_reason VARCHAR,
  fresh_input INTEGER, cached_input INTEGER, output INTEGER, cost_micro_usd BIGINT, latency_ms INTEGER,
  returned_model VARCHAR, fingerprint VARCHAR, request_id VARCHAR, message VARCHAR, completed_at BIGINT
);
CREATE TABLE call_replies (completion_no INTEGER, reply_bytes INTEGER, raw_bytes INTEGER, body BLOB, sha256 VARCHAR);
CREATE TABLE call_series (no INTEGER, key VARCHAR, series INTEGER, run_id VARCHAR, at_ms BIGINT);
CREATE VIEW first_completions AS
  SELECT * FROM completions QUALIFY row_number() OVER (PARTITION BY call_no ORDER BY class <> 'ok', completion_no) = 1;
`;
