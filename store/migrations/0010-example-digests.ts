/** What a comparison needs of a finished example besides its texts, by the number of its outcome; rows of earlier versions have none. */
export const EXAMPLE_DIGESTS_SQL = `
CREATE TABLE example_digests (
  no INTEGER, hash VARCHAR, query_words INTEGER, memory_words INTEGER, atoms INTEGER, blocks INTEGER,
  level_a INTEGER, level_b INTEGER, level_c INTEGER
);
`;
