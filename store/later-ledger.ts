import type { CallCompletion, CallContent, CallIntent, LedgerStore, StoredAttempt, StoredReply, UnpricedCalls } from '../schemas/ledger.ts';
import type { Database } from './duckdb.ts';
import type { DuckDbLedger } from './ledger.ts';
import { number, text } from './rows.ts';
import { spentSince } from './spent-since.ts';
import { attemptsOf } from './stored-attempts.ts';

/** More keys than this are looked up in the index, which is loaded for them. */
const FEW_KEYS = 500;

/** Runs something once, at its first need. */
export function atFirstNeed<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}

async function attemptsByQuery(database: Database, keys: readonly string[]): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
  const found = await attemptsOf(
    database,
    await database.read('SELECT * FROM calls WHERE key IN (SELECT unnest($1)) ORDER BY key, attempt', [keys]),
  );
  // In the order asked, as the index gives them.
  return new Map(keys.flatMap((key) => [found.get(key)].flatMap((attempts) => (attempts === undefined ? [] : [[key, attempts] as const]))));
}

/** The ledger of a store that is opened for one question: a few attempts are read by a query, and the index of all calls is loaded only when something else is asked. */
export class LaterLedger implements LedgerStore {
  private readonly database: Database;
  private readonly full: () => Promise<DuckDbLedger>;
  private isLoaded = false;

  constructor(database: Database, load: () => Promise<DuckDbLedger>) {
    this.database = database;
    this.full = atFirstNeed(() => {
      this.isLoaded = true;
      return load();
    });
  }

  async attempts(keys: readonly string[]): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
    if (!this.isLoaded && keys.length <= FEW_KEYS) return attemptsByQuery(this.database, keys);
    return (await this.full()).attempts(keys);
  }

  async series(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (this.isLoaded || keys.length > FEW_KEYS) return (await this.full()).series(keys);
    const rows = await this.database.read(
      'SELECT key, max(series) AS series FROM call_series WHERE key IN (SELECT unnest($1)) GROUP BY key',
      [keys],
    );
    const reopened = new Map(rows.map((row) => [text(row, 'key'), number(row, 'series')]));
    return new Map(keys.map((key) => [key, reopened.get(key) ?? 0]));
  }

  async writeIntents(intents: readonly CallIntent[]): Promise<void> {
    await (await this.full()).writeIntents(intents);
  }

  async writeCompletions(completions: readonly CallCompletion[]): Promise<void> {
    await (await this.full()).writeCompletions(completions);
  }

  async replies(attempts: Parameters<LedgerStore['replies']>[0]): Promise<readonly StoredReply[]> {
    return (await this.full()).replies(attempts);
  }

  async openSeries(keys: readonly string[], runId: string): Promise<void> {
    await (await this.full()).openSeries(keys, runId);
  }

  async spent(scope: Parameters<LedgerStore['spent']>[0]): ReturnType<LedgerStore['spent']> {
    if (this.isLoaded) return (await this.full()).spent(scope);
    return spentSince(this.database, scope.sinceMs ?? 0, scope.runId, scope.step);
  }

  async requests(keys: readonly string[]): Promise<ReadonlyMap<string, CallContent>> {
    return (await this.full()).requests(keys);
  }

  async unpriced(scope: Parameters<LedgerStore['unpriced']>[0]): Promise<readonly UnpricedCalls[]> {
    return (await this.full()).unpriced(scope);
  }

  /** The raw response body of an attempt, or null when none was kept. */
  async rawBody(key: string, attempt: number): Promise<string | null> {
    return (await this.full()).rawBody(key, attempt);
  }
}
