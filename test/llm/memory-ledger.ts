import { createHash } from 'node:crypto';
import type {
  CallCompletion,
  CallContent,
  CallIntent,
  LedgerStore,
  StoredAttempt,
  StoredReply,
  UnpricedCalls,
} from '../../schemas/ledger.ts';

interface Row {
  readonly intent: CallIntent;
  completion: (CallCompletion & { readonly replySha256: string | null }) | null;
}

/** A LedgerStore in memory that keeps the rules of the durable one; what it refuses, the durable one refuses. */
export class MemoryLedger implements LedgerStore {
  readonly rows = new Map<string, Row[]>();
  readonly #series = new Map<string, number>();
  /** Completions beyond the first of an attempt: kept, never served. */
  readonly duplicates: CallCompletion[] = [];
  queries = 0;
  /** Set by tests: thrown by the next writes. */
  failWrites: Error | null = null;

  async attempts(keys: readonly string[]): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
    this.queries++;
    return new Map(keys.flatMap((key) => (this.rows.has(key) ? [[key, (this.rows.get(key) ?? []).map(stored)] as const] : [])));
  }

  async series(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return new Map(keys.map((key) => [key, this.#series.get(key) ?? 0]));
  }

  async writeIntents(intents: readonly CallIntent[]): Promise<void> {
    if (this.failWrites !== null) throw this.failWrites;
    for (const intent of intents) {
      const rows = this.rows.get(intent.request.key) ?? [];
      if (rows.some((row) => row.intent.attempt === intent.attempt))
        throw new Error(`attempt_taken ${intent.request.key} ${intent.attempt}`);
      this.rows.set(intent.request.key, [...rows, { intent, completion: null }]);
    }
  }

  async writeCompletions(completions: readonly CallCompletion[]): Promise<void> {
    if (this.failWrites !== null) throw this.failWrites;
    for (const completion of completions) {
      const row = this.rows.get(completion.key)?.find(({ intent }) => intent.attempt === completion.attempt);
      if (row === undefined) throw new Error(`unknown_attempt ${completion.key} ${completion.attempt}`);
      if (row.completion !== null) this.duplicates.push(completion);
      else row.completion = { ...completion, replySha256: completion.replyText === null ? null : sha(completion.replyText) };
    }
  }

  async replies(wanted: readonly { readonly key: string; readonly attempt: number }[]): Promise<readonly StoredReply[]> {
    return wanted.flatMap(({ key, attempt }) => {
      const completion = this.rows.get(key)?.find(({ intent }) => intent.attempt === attempt)?.completion;
      if (completion?.replyText == null) return [];
      if (sha(completion.replyText) !== completion.replySha256) throw new Error(`corrupt_body ${key}`);
      return [{ key, attempt, replyText: completion.replyText }];
    });
  }

  async openSeries(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#series.set(key, (this.#series.get(key) ?? 0) + 1);
  }

  async spent(scope: {
    readonly runId?: string;
    readonly step?: string;
    readonly sinceMs?: number;
  }): Promise<{ microUsd: number; unknownCalls: number; calls: number }> {
    const rows = [...this.rows.values()]
      .flat()
      .filter(
        ({ intent, completion }) =>
          (scope.runId === undefined || intent.request.runId === scope.runId) &&
          (scope.step === undefined || intent.request.step === scope.step) &&
          (scope.sinceMs === undefined || (completion?.completedAt ?? intent.intendedAt) >= scope.sinceMs),
      );
    const costs = rows.map(({ completion }) => completion?.costMicroUsd ?? null);
    return {
      microUsd: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
      unknownCalls: costs.filter((cost) => cost === null).length,
      calls: rows.length,
    };
  }

  async requests(keys: readonly string[]): Promise<ReadonlyMap<string, CallContent>> {
    return new Map(keys.flatMap((key) => (this.rows.get(key) ?? []).slice(0, 1).map(({ intent }) => [key, intent.request] as const)));
  }

  async unpriced(scope: Parameters<LedgerStore['spent']>[0]): Promise<readonly UnpricedCalls[]> {
    const groups = new Map<string, UnpricedCalls>();
    for (const attempt of this.all()) {
      const since = attempt.completedAt ?? attempt.intendedAt;
      if (scope.runId !== undefined && attempt.runId !== scope.runId) continue;
      if (scope.step !== undefined && attempt.step !== scope.step) continue;
      if (attempt.costMicroUsd !== null || since < (scope.sinceMs ?? 0)) continue;
      const { provider, model, key } = attempt;
      const known = groups.get(`${provider} ${model}`)?.keys ?? [];
      groups.set(`${provider} ${model}`, { provider, model, batched: false, calls: known.length + 1, keys: [...known, key] });
    }
    return [...groups.values()];
  }

  /** Everything that was written, for assertions. */
  all(): readonly StoredAttempt[] {
    return [...this.rows.values()].flat().map(stored);
  }
}

function stored({ intent, completion }: Row): StoredAttempt {
  const { key, runId, step, partId, candidateId, role, turn, provider, model } = intent.request;
  const { attempt, series, maxTokens, intendedAt } = intent;
  return {
    key,
    runId,
    step,
    partId,
    candidateId,
    role,
    turn,
    provider,
    model,
    attempt,
    series,
    maxTokens,
    intendedAt,
    completedAt: completion?.completedAt ?? null,
    class: completion?.class ?? null,
    finishReason: completion?.finishReason ?? null,
    usage: completion?.usage ?? null,
    costMicroUsd: completion?.costMicroUsd ?? null,
    latencyMs: completion?.latencyMs ?? null,
    returnedModel: completion?.returnedModel ?? null,
    fingerprint: completion?.fingerprint ?? null,
    requestId: completion?.requestId ?? null,
    message: completion?.message ?? null,
  };
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
