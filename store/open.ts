import { resolve } from 'node:path';
import { Database } from './duckdb.ts';
import { DuckDbStore } from './duckdb-store.ts';
import { checkStoreFile } from './file-checks.ts';
import { loadKeyIndex } from './key-index.ts';
import { atFirstNeed, LaterLedger } from './later-ledger.ts';
import { DuckDbLedger, loadLedger } from './ledger.ts';
import { migrate } from './migrate.ts';
import { number } from './rows.ts';
import type { Store } from './port.ts';
import type { TextRepairs } from './text.ts';

/** How a store is opened; defaults suit an owner process. */
export interface OpenOptions {
  /** Opens an existing file without taking its write lock; writes then throw `read_only`. */
  readonly readOnly?: boolean;
  /** DuckDB's memory limit (default 384; DESIGN §9 asks for 256-512). */
  readonly memoryLimitMb?: number;
  /** How long a first writer waits for company (default 12, at most 15). */
  readonly lingerMs?: number;
}

const MEMORY_LIMIT_MB = 384;
const LINGER_MS = 12;
const MAX_LINGER_MS = 15;

/** Tables numbered by the one shared counter. */
const NUMBERED = [
  'runs',
  'run_states',
  'gates',
  'releases',
  'facts',
  'call_series',
  'step_outputs',
  'outcomes',
  'waivers',
  'release_members',
  'batches',
];

/** What every way of opening shares. */
interface Opened {
  readonly database: Database;
  readonly repairs: TextRepairs;
  readonly nextNo: () => number;
}

/** Opens (or makes) the store of a project, migrated and indexed; everything that stands in the way is a StoreError. */
export function openStore(file: string, options: OpenOptions = {}): Promise<DuckDbStore> {
  return openAs(file, options, async ({ database, repairs, nextNo }) => {
    const ledger = new DuckDbLedger(database, await loadLedger(database), repairs, nextNo);
    const index = await loadKeyIndex(database, 'step_outputs', 'no', 'key');
    return new DuckDbStore({ database, ledger, verdictIndex: () => Promise.resolve(index), repairs, nextNo });
  });
}

/** Opens the store for one question: indexes over all calls and verdicts are loaded at their first need, which most questions never have. */
export function openForQuestion(file: string, options: OpenOptions = {}): Promise<Store> {
  return openAs(file, options, async ({ database, repairs, nextNo }) => {
    const load = async (): Promise<DuckDbLedger> => new DuckDbLedger(database, await loadLedger(database), repairs, nextNo);
    const verdictIndex = atFirstNeed(() => loadKeyIndex(database, 'step_outputs', 'no', 'key'));
    return new DuckDbStore({ database, ledger: new LaterLedger(database, load), verdictIndex, repairs, nextNo });
  });
}

async function openAs<T>(file: string, options: OpenOptions, make: (opened: Opened) => Promise<T>): Promise<T> {
  const path = resolve(file);
  const readOnly = options.readOnly ?? false;
  await checkStoreFile(path, readOnly);
  const database = await Database.open(path, {
    readOnly,
    memoryLimitMb: options.memoryLimitMb ?? MEMORY_LIMIT_MB,
    lingerMs: Math.min(MAX_LINGER_MS, Math.max(0, options.lingerMs ?? LINGER_MS)),
  });
  try {
    await migrate(database);
    if (await leftBehind(database)) {
      if (readOnly) {
        await database.close();
        await (await openAs(path, { ...options, readOnly: false }, ({ database: writable }) => Promise.resolve(writable))).close();
        return await openAs(path, options, make);
      }
      await database.recover();
    }
    const repairs: TextRepairs = { loneSurrogates: 0, nuls: 0 };
    // Nothing is numbered in a store that is only read.
    let no = readOnly ? 0 : await highestNumber(database);
    return await make({ database, repairs, nextNo: () => (no += 1) });
  } catch (error) {
    await database.close().catch(() => undefined);
    throw error;
  }
}

/** Whether a killed process left rows in the journal: they are moved before anything is read, by a reader too. */
async function leftBehind(database: Database): Promise<boolean> {
  return (await database.read('SELECT 1 AS one FROM journal LIMIT 1')).length > 0;
}

async function highestNumber(database: Database): Promise<number> {
  const parts = NUMBERED.map((table) => `SELECT max(no) AS no FROM ${table}`);
  const [row] = await database.read(`SELECT coalesce(max(no), 0) AS no FROM (${parts.join(' UNION ALL ')})`);
  return row === undefined ? 0 : number(row, 'no');
}
