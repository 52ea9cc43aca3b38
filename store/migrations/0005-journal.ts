/** Rows that are durable and not yet in their tables: one packed batch per group commit, emptied whenever the rows are moved. */
export const JOURNAL_SQL = `
CREATE TABLE journal (body BLOB);
`;
