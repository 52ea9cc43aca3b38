import { KeyIndex, keyWordsSql, numberAt } from './key-index.ts';
import type { Database } from './duckdb.ts';
import { text } from './rows.ts';
import { NumberColumn } from './number-column.ts';

/** Sums over the calls of one step of one run. */
export interface Spending {
  readonly runId: string;
  readonly step: string;
  microUsd: number;
  unknownCalls: number;
  calls: number;
}

/** An attempt as the index knows it. */
export interface IndexedAttempt {
  readonly callNo: number;
  readonly attempt: number;
  readonly series: number;
  /** Number of the completion that counts; -1 while the attempt is open. */
  readonly completionNo: number;
  readonly ok: boolean;
}

const NONE = -1;

/**
 * What the ledger knows without a query: attempts per key, which completion of each counts, and sums of spending.
 * About 50 bytes a call, outside the JavaScript heap.
 */
export class LedgerIndex {
  private readonly heads = new KeyIndex();
  private readonly previous = new NumberColumn(NONE);
  private readonly attempts = new NumberColumn(0);
  private readonly series = new NumberColumn(0);
  private readonly buckets = new NumberColumn(NONE);
  private readonly completions = new NumberColumn(NONE);
  private readonly successes = new NumberColumn(0);
  private readonly spending: Spending[] = [];
  private readonly bucketOf = new Map<string, number>();
  callCount = 0;
  completionCount = 0;
  /** Completions beyond the first of an attempt: kept, counted, never served. */
  duplicates = 0;
  nextCallNo = 0;
  nextCompletionNo = 0;

  /** Number of different keys. */
  get keyCount(): number {
    return this.heads.size;
  }

  /** Attempts of a key by their number; empty when there are none. */
  attemptsOf(key: string): readonly IndexedAttempt[] {
    const found: IndexedAttempt[] = [];
    for (let callNo = this.heads.get(key) ?? NONE; callNo !== NONE; callNo = this.previous.get(callNo)) {
      const completionNo = this.completions.get(callNo);
      const ok = this.successes.get(callNo) === 1;
      found.push({ callNo, attempt: this.attempts.get(callNo), series: this.series.get(callNo), completionNo, ok });
    }
    return found.sort((x, y) => x.attempt - y.attempt);
  }

  /** Enters a committed intent. */
  addCall(key: string, callNo: number, attempt: number, series: number, bucket: number): void {
    const head = this.heads.get(key) ?? NONE;
    this.heads.set(key, callNo);
    this.enter(callNo, head, attempt, series, bucket);
  }

  /** Enters a committed completion; the first success counts, else the first completion (order of calls does not matter). */
  addCompletion(callNo: number, completionNo: number, ok: boolean, costMicroUsd: number | null): void {
    this.completionCount += 1;
    this.nextCompletionNo = Math.max(this.nextCompletionNo, completionNo + 1);
    const sums = this.spending[this.buckets.get(callNo)];
    const before = this.completions.get(callNo);
    const first = before === NONE;
    if (!first) this.duplicates += 1;
    if (sums !== undefined) {
      if (!first) sums.calls += 1;
      sums.unknownCalls += (costMicroUsd === null ? 1 : 0) - (first ? 1 : 0);
      sums.microUsd += costMicroUsd ?? 0;
    }
    const beforeOk = this.successes.get(callNo) === 1;
    if (!first && beforeOk && !ok) return;
    if (!first && beforeOk === ok && before < completionNo) return;
    this.completions.set(callNo, completionNo);
    this.successes.set(callNo, ok ? 1 : 0);
  }

  /** Sums over a run and step (either may be left open). */
  spent(runId?: string, step?: string): { microUsd: number; unknownCalls: number; calls: number } {
    const total = { microUsd: 0, unknownCalls: 0, calls: 0 };
    for (const sums of this.spending) {
      if ((runId !== undefined && sums.runId !== runId) || (step !== undefined && sums.step !== step)) continue;
      total.microUsd += sums.microUsd;
      total.unknownCalls += sums.unknownCalls;
      total.calls += sums.calls;
    }
    return total;
  }

  /** Number of the sums of a step of a run. */
  bucket(runId: string, step: string): number {
    const name = `${runId}\u0000${step}`;
    const known = this.bucketOf.get(name);
    if (known !== undefined) return known;
    this.spending.push({ runId, step, microUsd: 0, unknownCalls: 0, calls: 0 });
    this.bucketOf.set(name, this.spending.length - 1);
    return this.spending.length - 1;
  }

  /** Rebuilds the index from the tables: two scans, a second or less for 400,000 calls. */
  static async load(database: Database): Promise<LedgerIndex> {
    const index = new LedgerIndex();
    for (const row of await database.read('SELECT DISTINCT run_id, step FROM calls ORDER BY run_id, step')) {
      index.bucket(text(row, 'run_id'), text(row, 'step'));
    }
    await database.scan(
      `SELECT call_no, attempt, series, bucket, ${keyWordsSql('key')} FROM calls
       JOIN (SELECT run_id, step, (row_number() OVER (ORDER BY run_id, step) - 1)::INTEGER AS bucket
             FROM (SELECT DISTINCT run_id, step FROM calls)) USING (run_id, step) ORDER BY call_no`,
      (columns, rowCount) => {
        const n = (column: number, i: number): number => numberAt(columns, column, i);
        for (let i = 0; i < rowCount; i += 1) {
          const callNo = n(0, i);
          const head = index.heads.setWords(n(4, i), n(5, i), n(6, i), n(7, i), callNo);
          index.enter(callNo, head, n(1, i), n(2, i), n(3, i));
        }
      },
    );
    await database.scan(
      `SELECT call_no, completion_no, (class = 'ok')::INTEGER, coalesce(cost_micro_usd, -1)::DOUBLE FROM completions ORDER BY completion_no`,
      (columns, rowCount) => {
        for (let i = 0; i < rowCount; i += 1) {
          const cost = numberAt(columns, 3, i);
          index.addCompletion(numberAt(columns, 0, i), numberAt(columns, 1, i), numberAt(columns, 2, i) === 1, cost < 0 ? null : cost);
        }
      },
    );
    return index;
  }

  private enter(callNo: number, previous: number, attempt: number, series: number, bucket: number): void {
    this.previous.set(callNo, previous);
    this.attempts.set(callNo, attempt);
    this.series.set(callNo, series);
    this.buckets.set(callNo, bucket);
    this.callCount += 1;
    this.nextCallNo = Math.max(this.nextCallNo, callNo + 1);
    const sums = this.spending[bucket];
    if (sums === undefined) return;
    sums.calls += 1;
    sums.unknownCalls += 1;
  }
}
