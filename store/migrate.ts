import type { Database } from './duckdb.ts';
import { StoreError } from './errors.ts';
import { MIGRATIONS, type Migration } from './migrations/list.ts';
import { number } from './rows.ts';

const VERSIONS = 'CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER, name VARCHAR, applied_at BIGINT)';

/** Brings the file to the newest schema, one transaction per migration; refuses a file of a newer MemCalib. */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const newest = migrations.length;
  const current = await schemaVersion(database);
  if (current > newest) {
    throw new StoreError(
      'schema_newer',
      `${database.file} has schema ${current}, made by a newer MemCalib (this one knows ${newest}); update MemCalib (\`git pull && npm start\`) and repeat the command.`,
    );
  }
  if (current === newest) return;
  if (database.readOnly) {
    throw new StoreError(
      'schema_older',
      `${database.file} has the older schema ${current} and is open for reading only; type \`memcalib up\` once to bring it to schema ${newest}.`,
    );
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < current) continue;
    await database.transaction(async (writer) => {
      await writer.run(VERSIONS);
      await writer.run(migration.sql);
      await writer.run(`INSERT INTO schema_versions VALUES (${index + 1}, '${migration.name}', ${Date.now()})`);
    });
  }
}

async function schemaVersion(database: Database): Promise<number> {
  try {
    const [row] = await database.read('SELECT coalesce(max(version), 0) AS version FROM schema_versions');
    return row === undefined ? 0 : number(row, 'version');
  } catch (error) {
    // A new file. Looking through the catalog for the table first costs each short command more than all its other questions.
    if (error instanceof StoreError && /schema_versions does not exist/.test(String(error.cause))) return 0;
    throw error;
  }
}
