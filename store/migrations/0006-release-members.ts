/** Which examples a release holds, so that an example can name the releases it is in. */
export const RELEASE_MEMBERS_SQL = `
CREATE TABLE release_members (no INTEGER, release_id VARCHAR, example_id VARCHAR, split VARCHAR);
`;
