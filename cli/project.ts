import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../store/port.ts';
import { attach, OwnerGoneError } from './attach.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { LoadedConfig } from './config-file.ts';
import type { QueryName, QueryResult, QueryArgs } from './queries/catalog.ts';

/** An owner that is just starting or ending holds the store for a moment without answering: wait for it this long. */
const PATIENCE_MS = 20_000;

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'locked';
}

async function openPatiently(file: string, readOnly: boolean): Promise<Store | null> {
  const { openForQuestion } = await import('../store/open.ts');
  try {
    return await openForQuestion(file, { readOnly });
  } catch (error) {
    if (isLocked(error)) return null;
    throw error;
  }
}

/** Asks a project something: its owner when one runs (it holds the store), else the store itself, without Temporal. */
export async function query<Name extends QueryName>(loaded: LoadedConfig, name: Name, args: QueryArgs<Name>): Promise<QueryResult<Name>> {
  const file = join(loaded.projectFolder, 'memcalib.duckdb');
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const client = attach(loaded.projectFolder);
    if (client !== null) {
      try {
        return (await client.call(`query.${name}`, { ...args })) as QueryResult<Name>;
      } catch (error) {
        if (!(error instanceof OwnerGoneError) || Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
    }
    if (!existsSync(file) && name === 'plan') mkdirSync(loaded.projectFolder, { recursive: true, mode: 0o700 });
    else if (!existsSync(file))
      throw new CliError(`There is no project at ${loaded.projectFolder} yet. Type \`memcalib build\` to start one.`, EXIT.usage);
    // Loaded here only: with an owner running a command needs neither the store nor the stages.
    const { QUERIES, WRITING_QUERIES } = await import('./queries/catalog.ts');
    const run = QUERIES[name] as (store: Store, args: QueryArgs<Name>) => Promise<QueryResult<Name>>;
    const store = await openPatiently(file, !WRITING_QUERIES.has(name));
    if (store !== null) {
      try {
        return await run(store, args);
      } finally {
        await store.close();
      }
    }
    if (Date.now() > deadline)
      throw new CliError(
        `The store ${file} is held by another process that does not answer. Look for a running \`memcalib\` or a copy of this project that is open elsewhere, end it, and type the command again.`,
        EXIT.environment,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
