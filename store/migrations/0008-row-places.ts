/** Where a candidate's row stands: kept beside the row and not in it, so that a renamed file or a moved row is the same row. */
export const ROW_PLACES_SQL = `
ALTER TABLE candidates ADD COLUMN origin_file VARCHAR;
ALTER TABLE candidates ADD COLUMN origin_row INTEGER;
`;
