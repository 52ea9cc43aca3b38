import type { CallCompletion, CallContent, CallIntent, LedgerStore, StoredAttempt, StoredReply, UnpricedCalls } from '../schemas/ledger.ts';
import { packBody, unpackBody } from './bodies.ts';
import { joinRequest, replyFrom, replyRow, sharedHashes, RequestSplitter, SharedTexts } from './call-bodies.ts';
import type { Database } from './duckdb.ts';
import { StoreError } from './errors.ts';
import { LedgerIndex, type IndexedAttempt } from './ledger-index.ts';
import * as tables from './ledger-tables.ts';
import { rowsByNumber } from './number-ranges.ts';
import { bytesOrNull, number, text } from './rows.ts';
import { spentSince } from './spent-since.ts';
import { readUnpriced } from './unpriced.ts';
import { insertInto, type Insert } from './table.ts';
import type { TextRepairs } from './text.ts';

interface AttemptName {
  readonly key: string;
  readonly attempt: number;
}

/** What the ledger reads when a store is opened. */
export interface LoadedLedger {
  readonly index: LedgerIndex;
  /** Current series of the keys that were reopened. */
  readonly reopened: ReadonlyMap<string, number>;
  /** Hashes of the shared texts that are stored. */
  readonly sharedTexts: readonly string[];
}

/** Loads the index, the reopened series and the known texts. */
export async function loadLedger(database: Database): Promise<LoadedLedger> {
  const index = await LedgerIndex.load(database);
  const series = await database.read('SELECT key, max(series) AS series FROM call_series GROUP BY key');
  const hashes = await database.read('SELECT DISTINCT hash FROM shared_texts');
  return {
    index,
    reopened: new Map(series.map((row) => [text(row, 'key'), number(row, 'series')])),
    sharedTexts: hashes.map((row) => text(row, 'hash')),
  };
}

/** Counts of the whole ledger, without a query. */
export interface LedgerCounts {
  readonly keys: number;
  readonly attempts: number;
  readonly completions: number;
  /** Completions beyond the first of their attempt: kept, never served. */
  readonly duplicates: number;
}

/** The call ledger on DuckDB: intents before calls, completions after, look-ups by an index in memory. */
export class DuckDbLedger implements LedgerStore {
  private readonly database: Database;
  private readonly index: LedgerIndex;
  private readonly reopened: Map<string, number>;
  private readonly repairs: TextRepairs;
  private readonly nextNo: () => number;
  private readonly splitter = new RequestSplitter();
  /** Attempts whose intent waits for its commit: taken, not yet durable. */
  private readonly pending = new Set<string>();
  /** Shared texts by hash, resolved once durable. */
  private readonly sharedTexts: Map<string, Promise<void>>;

  constructor(database: Database, loaded: LoadedLedger, repairs: TextRepairs, nextNo: () => number) {
    this.database = database;
    this.index = loaded.index;
    this.reopened = new Map(loaded.reopened);
    this.sharedTexts = new Map(loaded.sharedTexts.map((hash) => [hash, Promise.resolve()]));
    this.repairs = repairs;
    this.nextNo = nextNo;
  }

  /** Attempts of each key in order; keys nobody tried cost no query, the others one for all. */
  async attempts(keys: readonly string[]): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
    const known = new Map<string, readonly IndexedAttempt[]>();
    for (const key of keys) {
      const attempts = this.index.attemptsOf(key);
      if (attempts.length > 0) known.set(key, attempts);
    }
    const all = [...known.values()].flat();
    const [calls, completions] = await Promise.all([
      rowsByNumber(
        this.database,
        'calls',
        'call_no',
        '*',
        all.map(({ callNo }) => callNo),
      ),
      rowsByNumber(this.database, 'completions', 'completion_no', '*', completionNumbers(all)),
    ]);
    const callRows = new Map(calls.map((row) => [number(row, 'call_no'), row]));
    const completionRows = new Map(completions.map((row) => [number(row, 'completion_no'), row]));
    const result = new Map<string, readonly StoredAttempt[]>();
    for (const [key, attempts] of known) {
      const stored = attempts.flatMap(({ callNo, completionNo }) => {
        const call = callRows.get(callNo);
        return call === undefined ? [] : [tables.storedAttempt(call, completionRows.get(completionNo))];
      });
      result.set(key, stored);
    }
    return result;
  }

  async series(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return new Map(keys.map((key) => [key, this.reopened.get(key) ?? 0]));
  }

  /** Makes intents durable before their calls; an attempt number already taken under its key rejects the whole batch unwritten. */
  async writeIntents(intents: readonly CallIntent[]): Promise<void> {
    const names = intents.map(({ request, attempt }) => attemptName(request.key, attempt));
    this.refuseTaken(intents, names);
    for (const name of names) this.pending.add(name);
    try {
      const numbered = intents.map((intent) => ({ intent, callNo: this.index.nextCallNo++ }));
      const first = numbered.filter(({ intent }) => this.index.attemptsOf(intent.request.key).length === 0);
      const requests = await Promise.all(
        first.map(async ({ intent, callNo }) => {
          const { own, shared } = this.splitter.split(intent);
          await this.ensureShared(shared);
          return { call_no: callNo, ...own };
        }),
      );
      await this.database.write([
        insertInto(
          tables.CALLS,
          numbered.map(({ intent, callNo }) => tables.intentRow(intent, callNo)),
          this.repairs,
        ),
        insertInto(tables.CALL_REQUESTS, requests, this.repairs),
      ]);
      for (const { intent, callNo } of numbered) {
        const { key, runId, step } = intent.request;
        this.index.addCall(key, callNo, intent.attempt, intent.series, this.index.bucket(runId, step));
      }
    } finally {
      for (const name of names) this.pending.delete(name);
    }
  }

  /** Makes replies durable; an attempt without a durable intent is refused, a second completion is kept and counted. */
  async writeCompletions(completions: readonly CallCompletion[]): Promise<void> {
    const numbered = completions.map((completion) => ({
      completion,
      callNo: this.attemptOf(completion).callNo,
      completionNo: this.index.nextCompletionNo++,
    }));
    const replies = numbered.flatMap(({ completion, completionNo }) => replyRow(completion, completionNo, this.repairs) ?? []);
    const inserts: Insert[] = [
      insertInto(
        tables.COMPLETIONS,
        numbered.map((done) => tables.completionRow(done.completion, done.callNo, done.completionNo)),
        this.repairs,
      ),
      insertInto(tables.CALL_REPLIES, replies, this.repairs),
    ];
    await this.database.write(inserts);
    for (const { completion, callNo, completionNo } of numbered) {
      this.index.addCompletion(callNo, completionNo, completion.class === 'ok', completion.costMicroUsd);
    }
  }

  /** Replies of attempts in the order asked; attempts without a reply text are left out. */
  async replies(attempts: readonly AttemptName[]): Promise<readonly StoredReply[]> {
    const bodies = await this.bodies(attempts);
    return attempts.flatMap(({ key, attempt }) => {
      const replyText = bodies.get(attemptName(key, attempt))?.replyText ?? null;
      return replyText === null ? [] : [{ key, attempt, replyText }];
    });
  }

  /** The raw response body of an attempt, or null when none was kept. */
  async rawBody(key: string, attempt: number): Promise<string | null> {
    return (await this.bodies([{ key, attempt }])).get(attemptName(key, attempt))?.rawBody ?? null;
  }

  /** What was sent under each key, verified; unknown keys are absent. */
  async requests(keys: readonly string[]): Promise<ReadonlyMap<string, CallContent>> {
    const keyOf = new Map(keys.flatMap((key) => this.index.attemptsOf(key).map(({ callNo }) => [callNo, key] as const)));
    const rows = await rowsByNumber(this.database, 'call_requests', 'call_no', '*', [...keyOf.keys()]);
    const own = new Map<string, Buffer>();
    for (const row of rows) {
      const key = keyOf.get(number(row, 'call_no')) ?? '';
      own.set(
        key,
        unpackBody({ body: bytesOrNull(row, 'body') ?? new Uint8Array(), sha256: text(row, 'sha256') }, `the request of call ${key}`),
      );
    }
    const hashes = [...new Set([...own.values()].flatMap((part) => sharedHashes(part)))];
    const packed = await this.database.read('SELECT hash, body FROM shared_texts WHERE hash IN (SELECT unnest($1))', [hashes]);
    const shared = new SharedTexts(new Map(packed.map((row) => [text(row, 'hash'), bytesOrNull(row, 'body') ?? new Uint8Array()])));
    return new Map([...own].map(([key, part]) => [key, joinRequest(part, (hash) => shared.get(hash, key))]));
  }

  /** Opens a new series for keys whose latest series was tried, has no success and no attempt still open; others are left alone. */
  async openSeries(keys: readonly string[], runId: string): Promise<void> {
    const at = Date.now();
    const opened = [...new Set(keys)].flatMap((key) => {
      const series = this.reopened.get(key) ?? 0;
      const attempts = this.index.attemptsOf(key);
      const latest = attempts.filter((attempt) => attempt.series === series);
      const ended = latest.length > 0 && !attempts.some(({ ok }) => ok);
      return ended ? [{ key, series: series + 1 }] : [];
    });
    const rows = opened.map(({ key, series }) => ({ no: this.nextNo(), key, series, run_id: runId, at_ms: at }));
    await this.database.write([insertInto(tables.CALL_SERIES, rows, this.repairs)]);
    for (const { key, series } of opened) this.reopened.set(key, Math.max(series, this.reopened.get(key) ?? 0));
  }

  /**
   * Known costs of every completion (duplicates were paid too). `calls` counts attempts and duplicates; open attempts may have
   * been paid and count as unknown. Sums over runs and steps stand in memory; `sinceMs` costs one aggregate query.
   */
  async spent(scope: {
    readonly runId?: string;
    readonly step?: string;
    readonly sinceMs?: number;
  }): Promise<{ readonly microUsd: number; readonly unknownCalls: number; readonly calls: number }> {
    const { runId, step, sinceMs } = scope;
    if (sinceMs === undefined) return this.index.spent(runId, step);
    return spentSince(this.database, sinceMs, runId, step);
  }

  /** Calls without a known cost; those whose batch is out are left out. */
  unpriced(scope: Parameters<LedgerStore['unpriced']>[0]): Promise<readonly UnpricedCalls[]> {
    return readUnpriced(this.database, scope);
  }

  /** Sizes of the ledger, for `status`. */
  counts(): LedgerCounts {
    const { keyCount, callCount, completionCount, duplicates } = this.index;
    return { keys: keyCount, attempts: callCount, completions: completionCount, duplicates };
  }

  private refuseTaken(intents: readonly CallIntent[], names: readonly string[]): void {
    const seen = new Set<string>();
    for (const [i, { request, attempt }] of intents.entries()) {
      const name = names[i] ?? '';
      const stored = this.index.attemptsOf(request.key).some((known) => known.attempt === attempt);
      if (!stored && !this.pending.has(name) && !seen.has(name)) {
        seen.add(name);
        continue;
      }
      throw new StoreError(
        'attempt_taken',
        `Attempt ${attempt} of call ${request.key} (${request.step}) is taken by another caller; read its attempts again.`,
      );
    }
  }

  private attemptOf({ key, attempt }: AttemptName): IndexedAttempt {
    const found = this.index.attemptsOf(key).find((known) => known.attempt === attempt);
    if (found !== undefined) return found;
    throw new StoreError('unknown_attempt', `Call ${key} has no stored attempt ${attempt}; write its intent first.`);
  }

  private async bodies(attempts: readonly AttemptName[]): Promise<ReadonlyMap<string, ReturnType<typeof replyFrom>>> {
    const byNumber = new Map<number, string>();
    for (const { key, attempt } of attempts) {
      const found = this.index.attemptsOf(key).find((known) => known.attempt === attempt);
      if (found !== undefined && found.completionNo >= 0) byNumber.set(found.completionNo, attemptName(key, attempt));
    }
    const rows = await rowsByNumber(this.database, 'call_replies', 'completion_no', '*', [...byNumber.keys()]);
    return new Map(
      rows.map((row) => {
        const name = byNumber.get(number(row, 'completion_no')) ?? '';
        return [name, replyFrom(row, `call ${name}`)];
      }),
    );
  }

  private async ensureShared(texts: ReadonlyMap<string, string>): Promise<void> {
    for (const [hash, plain] of texts) {
      const known = this.sharedTexts.get(hash);
      if (known !== undefined) {
        await known;
        continue;
      }
      const written = this.database.write([
        insertInto(tables.SHARED_TEXTS, [{ hash, body: packBody(Buffer.from(plain)).body }], this.repairs),
      ]);
      this.sharedTexts.set(hash, written);
      await written.catch((error: unknown) => {
        this.sharedTexts.delete(hash);
        throw error;
      });
    }
  }
}

function attemptName(key: string, attempt: number): string {
  return `${key} attempt ${attempt}`;
}

function completionNumbers(attempts: readonly IndexedAttempt[]): readonly number[] {
  return attempts.flatMap(({ completionNo }) => (completionNo < 0 ? [] : [completionNo]));
}
