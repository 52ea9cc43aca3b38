import { expect, test } from 'vitest';
import type { ScreenReply } from '../../schemas/replies/screen.ts';
import { screen } from '../../stages/screen.ts';
import type { StepVerdict } from '../../stages/step.ts';
import { lithium, screenReply } from './lithium.ts';

const input = screen.input(lithium);

function accept(change: Partial<ScreenReply>, repaired = false): StepVerdict<unknown> {
  return screen.accept(input, new Map([['main', { reply: screen.replySchema.parse({ ...screenReply, ...change }), repaired }]]));
}

test('the request shows the row as values only, with its context as named fields', () => {
  expect(screen.requests(input)).toEqual([
    {
      partId: 'main',
      payload: {
        task: 'screen',
        domain: 'health',
        context: [
          { field: 'context.1', speaker: 'user', text: lithium.candidate.row.context[0]?.text },
          { field: 'context.2', speaker: 'assistant', text: lithium.candidate.row.context[1]?.text },
        ],
        question: lithium.candidate.row.question,
        answer: lithium.candidate.row.answer,
      },
    },
  ]);
});

const quote = (text: string): { readonly field: string; readonly quote: string } => ({ field: 'question', quote: text });

test.each([
  ['six passes admit', {}, 'accepted', undefined],
  [
    'one reject rejects under its dimension',
    { answer_substance: { verdict: 'reject', evidence: quote(''), reason: 'r' } },
    'rejected',
    'screen_answer_substance',
  ],
  [
    'a reject outweighs an uncertain',
    {
      question_completeness: { verdict: 'uncertain', evidence: quote(''), reason: 'r' },
      text_integrity: { verdict: 'reject', evidence: quote('cramps'), reason: 'r' },
    },
    'rejected',
    'screen_text_integrity',
  ],
  [
    'an uncertain needs a person',
    { safety_plausibility: { verdict: 'uncertain', evidence: quote('running'), reason: 'r' } },
    'rejected',
    'needs_review',
  ],
  [
    'a quote from another field still stands in the row',
    { text_integrity: { verdict: 'pass', evidence: quote('drink enough around your runs'), reason: 'r' } },
    'accepted',
    undefined,
  ],
] as const)('%s', (_name, change, kind, reason) => {
  expect(accept(change as unknown as Partial<ScreenReply>)).toMatchObject(reason === undefined ? { kind } : { kind, reason });
});

test.each([
  ['an invented quote', 'I have been on aspirin'],
  ['a pass without a quote', ''],
])('%s is one repair turn, then a rejection', (_name, text) => {
  const change = { memory_extractability: { verdict: 'pass' as const, evidence: quote(text), reason: 'r' } };
  expect(accept(change)).toMatchObject({
    kind: 'repair',
    notes: [{ partId: 'main', rule: 'ungrounded_quote', path: 'memory_extractability.evidence.quote' }],
  });
  expect(accept(change, true)).toMatchObject({ kind: 'rejected', reason: 'ungrounded_quote' });
});
