import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../store/port.ts';
import { attach } from './attach.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { LoadedConfig } from './config-file.ts';
import { QUERIES } from './queries/catalog.ts';
import type { QueryName, QueryResult, QueryArgs } from './queries/catalog.ts';

async function withStore<T>(loaded: LoadedConfig, work: (store: Store) => Promise<T>): Promise<T> {
  const { openStore } = await import('../store/open.ts');
  const store = await openStore(join(loaded.projectFolder, 'memcalib.duckdb'), { readOnly: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Asks a project something: its owner when one runs (it holds the store), else the store itself, read-only and without Temporal. */
export async function query<Name extends QueryName>(loaded: LoadedConfig, name: Name, args: QueryArgs<Name>): Promise<QueryResult<Name>> {
  const client = attach(loaded.projectFolder);
  if (client !== null) return (await client.call(`query.${name}`, args)) as QueryResult<Name>;
  if (!existsSync(join(loaded.projectFolder, 'memcalib.duckdb'))) {
    throw new CliError(`There is no project at ${loaded.projectFolder} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
  }
  const run = QUERIES[name] as (store: Store, args: QueryArgs<Name>) => Promise<QueryResult<Name>>;
  return withStore(loaded, (store) => run(store, args));
}
