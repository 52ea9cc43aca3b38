import type { Candidate } from '../../schemas/candidate.ts';
import { sha256Hex } from '../../schemas/hash.ts';
import type { CallCompletion, CallIntent, CallRequest } from '../../schemas/ledger.ts';
import type { Domain } from '../../schemas/levels.ts';
import type { RowRejection } from '../../schemas/source-row.ts';

/** The key of a sample call. */
export function keyOf(name: string): string {
  return sha256Hex(name);
}

/** A request under a key made from its name. */
export function request(name: string, more: Partial<CallRequest> = {}): CallRequest {
  return {
    key: keyOf(name),
    provider: 'rehearsal',
    model: 'model-a',
    messages: [
      { role: 'system', content: 'You split passages into atoms.' },
      { role: 'user', content: `{"task":"atomize","name":"${name}"}` },
    ],
    sampling: { temperature: 0 },
    responseFormat: { type: 'json_schema', name: 'atoms', schema: { type: 'object' } },
    sampleIndex: 0,
    maxTokens: 512,
    runId: 'run-1',
    step: 'atomize',
    partId: 'main',
    candidateId: sha256Hex(name).slice(0, 16),
    role: 'builder',
    turn: 'first',
    ...more,
  };
}

/** An intent for a sample call. */
export function intent(name: string, attempt = 1, more: Partial<CallRequest> = {}, series = 0): CallIntent {
  return { request: request(name, more), attempt, series, maxTokens: 512, intendedAt: 1_000 + attempt };
}

/** A completion for a sample call. */
export function completion(name: string, attempt = 1, more: Partial<CallCompletion> = {}): CallCompletion {
  return {
    key: keyOf(name),
    attempt,
    series: 0,
    class: 'ok',
    replyText: `{"atoms":["${name}"]}`,
    rawBody: `{"choices":[{"message":{"content":"${name}"}}]}`,
    finishReason: 'stop',
    usage: { freshInput: 100, cachedInput: 20, output: 30 },
    costMicroUsd: 250,
    latencyMs: 180,
    returnedModel: 'model-a-2026',
    fingerprint: 'fp_1',
    requestId: `req-${name}-${attempt}`,
    message: null,
    completedAt: 2_000 + attempt,
    ...more,
  };
}

/** A candidate with a row of its own. */
export function candidate(n: number, domain: Domain = 'general', more: Partial<Candidate['row']> = {}): Candidate {
  return {
    id: sha256Hex(`candidate ${domain} ${n}`).slice(0, 16),
    domain,
    position: n,
    stratum: `${domain}-${n % 3}`,
    row: {
      source: domain === 'general' ? `source-${n % 2}` : 'source-c',
      sourceDataset: 'made/up',
      sourceId: `made:train:${domain}:${n}`,
      sourceRevision: 'abc123',
      sourceLicense: 'MIT',
      attribution: '',
      groupKey: `g${n}`,
      domain,
      question: `Which lamp suits room ${n} best for reading at night?`,
      context: [{ speaker: 'user', text: 'I moved in last week.' }],
      answer: 'A warm lamp beside the chair, away from the screen.',
      origin: { file: 'rows.parquet', row: n + 1 },
      metadata: { n },
      ...more,
    },
    measures: { qualityScore: 70, topic: 'travel_shopping_household', complexity: 'simple', signalFamilies: ['temporal', 'preference'] },
  };
}

/** A rejection of a row. */
export function rejection(n: number, reason = 'missing_answer'): RowRejection {
  return {
    source: 'source-0',
    sourceDataset: 'made/up',
    sourceId: `made:train:r${n}`,
    reason,
    detail: 'The row has no answer.',
    origin: { file: 'rows.parquet', row: n + 1 },
  };
}

/** Pages of items as an async stream. */
export async function* pages<T>(items: readonly T[], size = 100): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
