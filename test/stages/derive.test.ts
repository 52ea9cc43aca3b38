import { expect, test } from 'vitest';
import type { Domain } from '../../schemas/levels.ts';
import type { DeriveReply } from '../../schemas/replies/derive.ts';
import { derive } from '../../stages/derive.ts';
import type { StepVerdict } from '../../stages/step.ts';
import { deriveReply, lithium } from './lithium.ts';

function accept(
  change: Partial<DeriveReply>,
  options: { readonly repaired?: boolean; readonly domain?: Domain } = {},
): StepVerdict<unknown> {
  const { repaired = false, domain = 'health' } = options;
  const input = derive.input({ ...lithium, candidate: { ...lithium.candidate, domain } });
  return derive.accept(input, new Map([['main', { reply: derive.replySchema.parse({ ...deriveReply, ...change }), repaired }]]));
}

function passage(text: string, field: string, quote: string): DeriveReply['passages'][number] {
  return { title: 't', text, evidence: [{ field, quote }] };
}

test('a clean reply is accepted with evidence at exact offsets and the speaker of its field', () => {
  const verdict = accept({ request_terms: ['cramps', 'calves'] });
  expect(verdict).toMatchObject({
    kind: 'accepted',
    output: { query: deriveReply.query, requestTerms: ['cramps'], dropped: deriveReply.dropped },
    flags: [{ rule: 'unused_request_term' }],
  });
  const { passages } = (
    verdict as {
      readonly output: {
        readonly passages: readonly {
          readonly evidence: readonly { readonly start: number; readonly end: number; readonly quote: string; readonly speaker: string }[];
        }[];
      };
    }
  ).output;
  const [span] = passages[0]?.evidence ?? [];
  expect(lithium.candidate.row.question.slice(span?.start, span?.end)).toBe(span?.quote);
  expect(passages[2]?.evidence[0]?.speaker).toBe('assistant');
});

const coding = 'Answer in prose without code blocks.';

const breaches: readonly (readonly [string, string, string, Partial<DeriveReply>, Domain?])[] = [
  [
    'an invented quote',
    'ungrounded_evidence',
    'passages.0.evidence.0',
    { passages: [passage('The user takes aspirin.', 'question', 'I take aspirin')] },
  ],
  ['no quote at all', 'ungrounded_evidence', 'passages.0.evidence', { passages: [{ title: 't', text: 'The user runs.', evidence: [] }] }],
  [
    'a quote in the wrong field',
    'ungrounded_evidence',
    'passages.0.evidence.0',
    { passages: [passage('The user sings.', 'question', 'I sing in a choir')], dropped: [] },
  ],
  [
    'a quote from the answer',
    'ungrounded_evidence',
    'passages.0.evidence.0',
    { passages: [passage('The user has salts checked.', 'answer', 'salts checked soon')] },
  ],
  ['an undeclared shared word', 'query_leak', 'passages.1', { query: 'What can I do about cramps from running?' }],
  [
    'a request term as long as a sentence',
    'query_leak',
    'request_terms.0',
    { query: 'What can I do about the cramps in my calves at night?', request_terms: ['do about the cramps in my calves at night'] },
  ],
  [
    'first person in a passage',
    'first_person',
    'passages.0.text',
    { passages: [passage('I take lithium.', 'question', 'I have been on lithium')] },
  ],
  [
    'a date that goes stale',
    'relative_date',
    'passages.0.text',
    { passages: [passage('The user took up running last month.', 'question', 'I took up running')] },
  ],
  [
    'a claim that only an assistant made',
    'assistant_claim',
    'passages.0.text',
    { passages: [passage('The user drinks two litres of water every day.', 'context.2', 'Drink at least two litres of water')] },
  ],
  [
    'a left-out fact in the query',
    'dropped_fact',
    'dropped.0',
    {
      query: 'I sing in a chamber choir, what helps against cramps?',
      dropped: [{ text: 'The user sings in a chamber choir.', reason: 'idle' }],
    },
  ],
  ['a query that leans on another text', 'query_not_self_contained', 'query', { query: 'How would your answer change if I had cramps?' }],
  ['a coding query without a contract', 'answer_contract', 'query', {}, 'coding'],
];

test.each(breaches.map(([name, rule, path, change, domain = 'health']) => [name, rule, path, change, domain] as const))(
  '%s is one repair turn, then a rejection',
  (_name, rule, path, change, domain) => {
    const options = { domain };
    const verdict = accept(change, options);
    expect(verdict.kind).toBe('repair');
    expect(verdict.kind === 'repair' ? verdict.notes.map((note) => [note.rule, note.path]) : []).toContainEqual([rule, path]);
    expect(accept(change, { ...options, repaired: true })).toMatchObject({ kind: 'rejected', reason: rule });
  },
);

test('a value of a memory may stand neither in a request term nor in the answer contract', () => {
  const twelve = [passage('The user drinks 12 cups.', 'question', 'I get cramps')];
  const asTerm = accept({ query: 'What about cramps after 12 cups?', request_terms: ['cramps', '12 cups'], passages: twelve });
  expect(asTerm).toMatchObject({ kind: 'repair', notes: [{ rule: 'query_leak', path: 'request_terms' }] });
  const inContract = accept(
    { query: 'What can I do about my cramps? Answer in prose and mention 12 cups.', passages: twelve },
    { domain: 'coding' },
  );
  expect(inContract).toMatchObject({ kind: 'repair', notes: [{ rule: 'query_leak', path: 'query' }] });
  expect(accept({ query: `What can I do about my cramps? ${coding}`, passages: twelve }, { domain: 'coding' })).toMatchObject({
    kind: 'accepted',
  });
});

test('a row without passages is rejected without a repair turn: nothing is to be invented', () => {
  expect(accept({ passages: [] })).toMatchObject({ kind: 'rejected', reason: 'no_passages' });
});

test('the request names the answer as reference only', () => {
  const [request] = derive.requests(derive.input(lithium));
  expect(Object.keys(request?.payload ?? {})).toEqual(['task', 'domain', 'context', 'question', 'reference_answer']);
});
