import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AnswerPromptLayout, answerMessages } from '../../stages/answer-prompt.ts';
import type { AnswerPromptSource, Promptable } from '../../stages/answer-prompt.ts';

interface Vector {
  readonly name: string;
  readonly record: Promptable;
  readonly source: AnswerPromptSource;
  readonly without: readonly string[];
  readonly messages: readonly unknown[];
}

const GENERATED = resolve(import.meta.dirname, '..', '..', 'schemas', 'generated');
const read = (name: string): unknown => JSON.parse(readFileSync(join(GENERATED, name), 'utf8'));
const layout = AnswerPromptLayout.parse(read('eval-prompt.json'));
const { vectors } = read('eval-prompt.parity.json') as { readonly vectors: readonly Vector[] };

describe('the answer prompt', () => {
  it('has vectors for every source and for ablations', () => {
    expect(new Set(vectors.map((vector) => vector.source))).toEqual(new Set(['memory', 'atomic', 'none']));
    expect(vectors.filter((vector) => vector.without.length > 0).length).toBeGreaterThan(5);
  });

  it.each(vectors)('is what the trainer renders: $name', ({ record, source, without, messages }) => {
    expect(answerMessages(layout, record, source, new Set(without))).toEqual(messages);
  });

  it('leaves the system message out when the layout has none', () => {
    const record = vectors[0]?.record;
    expect(record === undefined ? [] : answerMessages({ ...layout, system: '' }, record)).toHaveLength(1);
  });
});
