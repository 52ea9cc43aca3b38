/** What screening left of source files, so that files that did not change are not read again; and which rows were found to be near one another. */
export const SCREENED_SQL = `
CREATE TABLE screened_units (unit_no INTEGER, key VARCHAR, facts VARCHAR);
CREATE TABLE screened_batches (unit_no INTEGER, batch_no INTEGER, row_nos VARCHAR, hashes BLOB, facts BLOB, keys BLOB);
CREATE TABLE order_units (load_no INTEGER, unit_no INTEGER);
CREATE TABLE order_clusters (load_no INTEGER, body BLOB);
`;
