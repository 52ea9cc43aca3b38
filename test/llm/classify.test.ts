import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classify, classifyTransport } from '../../llm/classify.ts';
import type { Classified } from '../../llm/classify.ts';
import { FAILURES } from '../../llm/failures.ts';
import { CALL_CLASSES } from '../../schemas/ledger.ts';

interface Recorded {
  readonly name: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly expect: Partial<Classified>;
}

const NOW = 1_800_000_000_000;
const folder = join(import.meta.dirname, '../fixtures/providers');
const recorded = readdirSync(folder).flatMap((file) =>
  (JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Recorded[]).map((each) => ({
    ...each,
    title: `${file.replace('.json', '')}: ${each.name}`,
  })),
);

describe('what a provider answers is named', () => {
  it('has recorded shapes of every provider we document', () => {
    expect(recorded.length).toBeGreaterThan(70);
  });

  it.each(recorded)('$title', ({ status, headers, body, expect: wanted }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const got = classify({ status, headers, body: text }, NOW);
    expect(got).toMatchObject(wanted);
    expect(got.message ?? (got.class === 'ok' ? 'Nothing to say.' : '')).toMatch(/^[A-Z].{10,}/);
  });

  it.each([
    [{ kind: 'timeout', detail: '600 s' }, 'timeout'],
    [{ kind: 'network', detail: 'ECONNREFUSED' }, 'network'],
    [{ kind: 'too_large', detail: 'over 16 MB' }, 'not_a_completion'],
  ] as const)('a broken exchange %o is %s', (failure, callClass) => {
    expect(classifyTransport(failure)).toMatchObject({ class: callClass, text: null, usage: null });
  });

  it('never says who was filtered or what was flagged, and names the host of a redirect', () => {
    const flagged = recorded.find(({ name }) => name === 'moderation');
    expect(classify({ status: 403, headers: {}, body: JSON.stringify(flagged?.body) }, NOW).message).not.toContain('violence');
    expect(classify({ status: 302, headers: { location: 'https://evil.example/x' }, body: '' }, NOW).message).toContain('evil.example');
  });
});

describe('the failure table', () => {
  it('has a row with a sentence for every class, and a way out for each', () => {
    expect(Object.keys(FAILURES).sort()).toEqual([...CALL_CLASSES].sort());
    const { ok: _, ...failures } = FAILURES;
    const counted = Object.values(failures).filter(({ action }) => action !== 'delay' && action !== 'pause');
    const uncounted = Object.values(failures).filter(({ action }) => action === 'delay' || action === 'pause');
    expect(Object.values(failures).filter(({ reads }) => !/^[A-Z].*\.$/.test(reads))).toEqual([]);
    expect(counted.every(({ maxAttempts }) => maxAttempts >= 1 && maxAttempts <= 6)).toBe(true);
    expect(uncounted.map(({ maxAttempts }) => maxAttempts)).toEqual([1, 1, 1].map(() => Number.POSITIVE_INFINITY));
  });
});
