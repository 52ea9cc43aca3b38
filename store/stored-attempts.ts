import type { StoredAttempt } from '../schemas/ledger.ts';
import type { Database } from './duckdb.ts';
import { storedAttempt } from './ledger-tables.ts';
import { number, text, type ResultRow } from './rows.ts';

/** The completion of each call that counts: its first success, else its first. */
function firstCompletions(database: Database, callNumbers: readonly number[]): Promise<readonly ResultRow[]> {
  return database.read(
    `SELECT * FROM completions WHERE call_no BETWEEN ${Math.min(...callNumbers)} AND ${Math.max(...callNumbers)}
       AND call_no IN (SELECT unnest($1))
     QUALIFY row_number() OVER (PARTITION BY call_no ORDER BY class <> 'ok', completion_no) = 1`,
    [callNumbers],
  );
}

/** Rows of calls with the completions that count, by key in the order they come; attempts of a key by their number. */
export async function attemptsOf(database: Database, calls: readonly ResultRow[]): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
  const numbers = calls.map((call) => number(call, 'call_no'));
  const done = numbers.length === 0 ? [] : await firstCompletions(database, numbers);
  const byCall = new Map(done.map((row) => [number(row, 'call_no'), row]));
  const found = new Map<string, StoredAttempt[]>();
  for (const call of calls) {
    const key = text(call, 'key');
    found.set(key, [...(found.get(key) ?? []), storedAttempt(call, byCall.get(number(call, 'call_no')))]);
  }
  for (const attempts of found.values()) attempts.sort((a, b) => a.attempt - b.attempt);
  return found;
}
