import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classify } from '../../llm/classify.ts';
import { scrubbedFixture, scrubBody } from '../../llm/scrub.ts';
import type { CallClass, StoredAttempt } from '../../schemas/ledger.ts';
import { request } from './bench.ts';

const folder = join(import.meta.dirname, '../fixtures/providers');
const recorded = readdirSync(folder).flatMap((file) =>
  (
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly {
      readonly name: string;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
    }[]
  ).map((each) => ({ ...each, title: `${file}: ${each.name}` })),
);
const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

function attemptOf(callClass: CallClass, finishReason: string | null): StoredAttempt {
  const { key, provider, model, runId, step, partId, candidateId, role, turn } = request('x');
  const name = { key, provider, model, runId, step, partId, candidateId, role, turn };
  const ended = { usage: null, costMicroUsd: null, latencyMs: 1, returnedModel: null, fingerprint: null, requestId: null, message: null };
  return { ...name, ...ended, attempt: 1, series: 0, maxTokens: 9, intendedAt: 0, completedAt: 1, class: callClass, finishReason };
}

describe('a scrubbed reply', () => {
  it.each(recorded)('keeps its class: $title', ({ status, headers, body }) => {
    const scrubbed = scrubBody(textOf(body), new Set());
    const before = classify({ status, headers, body: textOf(body) }, 0);
    expect(classify({ status, headers, body: textOf(scrubbed) }, 0)).toMatchObject({ class: before.class, usage: before.usage });
  });

  const content = '```json\n{"facts": [{"text": "Mara Lindqvist, born 1961-04-07, takes lisinopril"}], "mara": "Møller, müde"}\n```';
  const body = {
    id: 'chatcmpl-8Zk',
    created: 1_799_999_999,
    model: 'm-1',
    choices: [{ finish_reason: 'stop', message: { role: 'assistant', content, reasoning_content: '<think>Mara likes tea</think>' } }],
    usage: { prompt_tokens: 10, completion_tokens: 20 },
  };
  const asked = request('Mara Lindqvist asks', {
    responseFormat: { type: 'json_schema', name: 'derive', schema: { properties: { facts: { items: { properties: { text: {} } } } } } },
  });

  it('holds no word of a row or reply, but keeps the keys the request named, the fences and the usage', () => {
    const fixture = scrubbedFixture(attemptOf('ok', 'stop'), asked, JSON.stringify(body));
    const text = JSON.stringify(fixture);
    for (const word of ['Mara', 'mara', 'Lindqvist', '1961', 'lisinopril', 'born', 'Møller', 'müde', 'tea', '8Zk', '1799999999'])
      expect(text).not.toContain(word);
    for (const kept of ['```json', '\\"facts\\":', '\\"text\\":', '<think>', '"model":"m-1"', '"completion_tokens":20'])
      expect(text).toContain(kept);
    expect(fixture).toMatchObject({ status: 200, expect: { class: 'ok', usage: { freshInput: 10, output: 20 } } });
  });

  it('loses accounts, addresses and keys of an error, and keeps the words by which it is told', () => {
    const error = {
      message: 'Rate limit reached for gpt in organization org-Ab12Cd34 on requests per day (a.b@c.example, sk-abcdefgh1234)',
      type: 'requests',
      code: 'rate_limit_exceeded',
    };
    const fixture = scrubbedFixture(attemptOf('quota_exhausted', 'http_429'), asked, JSON.stringify({ error }));
    const text = JSON.stringify(fixture);
    for (const word of ['Ab12Cd34', 'a.b@c', 'sk-abcdefgh1234']) expect(text).not.toContain(word);
    expect(text).toContain('requests per day');
    expect(fixture).toMatchObject({ status: 429, expect: { class: 'quota_exhausted' } });
  });

  it.each<[string, StoredAttempt, string | null, RegExp]>([
    ['nothing came back', attemptOf('timeout', null), null, /nothing to record/],
    ['its class would change', attemptOf('truncated', 'length'), JSON.stringify(body), /would read as ok instead of truncated/],
  ])('is refused when %s', (_, attempt, raw, reads) => {
    expect(() => scrubbedFixture(attempt, asked, raw)).toThrow(reads);
  });
});
