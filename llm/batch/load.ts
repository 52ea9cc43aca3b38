import type { CallRequest } from '../../schemas/ledger.ts';
import type { Stop } from '../attempt.ts';
import type { Hold } from '../budget.ts';
import type { ClientParts } from '../client-parts.ts';
import { nextAttempt } from '../next-attempt.ts';
import { batchPrice, estimateTokens, worstMicroUsd } from '../prices.ts';
import { requestLine } from './lines.ts';

/** What fits into one batch: under its size, and under the caps at the batch price. */
export interface LoadedBatch {
  readonly calls: readonly {
    readonly request: CallRequest;
    readonly attempt: number;
    readonly series: number;
    readonly maxTokens: number;
  }[];
  readonly lines: readonly string[];
  readonly holds: ReadonlyMap<string, readonly Hold[]>;
  readonly worstMicroUsd: Readonly<Record<string, number>>;
  /** Set when a cap lets not one call go. */
  readonly capped: Stop | null;
  /** Whether only money set aside for calls in flight stands in the way. */
  readonly isHeldBack: boolean;
}

/** Providers take 200 MB; half of that keeps the file and its copies well inside memory. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Fills a batch from a queue: calls answered meanwhile fall out, what does not fit stays for the next one. */
export async function loadBatch(parts: ClientParts, queued: readonly CallRequest[], maxRequests: number): Promise<LoadedBatch> {
  const keys = queued.map(({ key }) => key);
  const [stored, series] = await Promise.all([parts.ledger.attempts(keys), parts.ledger.series(keys)]);
  const calls: LoadedBatch['calls'][number][] = [];
  const lines: string[] = [];
  const holds = new Map<string, Hold[]>();
  const worst: Record<string, number> = {};
  let bytes = 0;
  let capped: Stop | null = null;
  let isHeldBack = false;
  for (const request of queued) {
    const of = series.get(request.key) ?? 0;
    const next = nextAttempt(stored.get(request.key) ?? [], of, request.maxTokens);
    const endpoint = parts.providers.get(request.provider)?.endpoint;
    if (next.kind !== 'send' || endpoint === undefined) continue;
    const call = { request, attempt: next.attempt, series: of, maxTokens: next.maxTokens };
    const line = requestLine({ key: request.key, attempt: next.attempt }, endpoint.body(request, next.maxTokens));
    bytes += Buffer.byteLength(line);
    if (calls.length >= maxRequests || (calls.length > 0 && bytes > MOST_BYTES)) break;
    const price = batchPrice(parts.priceOf(request.provider, request.model));
    const inputTokens = estimateTokens(request.messages.map((message) => message.content));
    const most = worstMicroUsd(price, inputTokens, next.maxTokens) ?? 0;
    const reservation = await parts.budget.tryReserve(request, most);
    if (reservation?.kind !== 'held') {
      isHeldBack = reservation === null;
      if (reservation !== null && calls.length === 0) capped = { reason: 'budget', detail: reservation.detail, until: reservation.until };
      break;
    }
    calls.push(call);
    lines.push(line);
    holds.set(request.step, [...(holds.get(request.step) ?? []), reservation.hold]);
    worst[request.step] = (worst[request.step] ?? 0) + most;
  }
  return { calls, lines, holds, worstMicroUsd: worst, capped, isHeldBack };
}
