import { expect, test } from 'vitest';
import type { UsageRubric } from '../../schemas/record.ts';
import type { ReviewCalibrationReply } from '../../schemas/replies/review-calibration.ts';
import type { ReviewFidelityReply } from '../../schemas/replies/review-fidelity.ts';
import type { AtomizeOutput, Workpiece } from '../../schemas/workpiece.ts';
import { HARD_FAMILIES } from '../../schemas/levels.ts';
import { WorkpieceError } from '../../stages/atoms.ts';
import { reviewCalibration } from '../../stages/review-calibration.ts';
import { reviewFidelity } from '../../stages/review-fidelity.ts';
import type { PartReply, StepDefinition, StepVerdict } from '../../stages/step.ts';
import { lithium } from './lithium.ts';

const rubric = (text: string): UsageRubric => ({
  expected_answer_behavior: `Names ${text}`,
  correct_use: 'c',
  under_use: 'u',
  over_use: 'o',
  forbidden_memory_role: 'f',
  validity_scope: 'v',
  observable_checks: ['A: none', 'B: a remark', 'C: decides'],
});

const source = { evidence: [], kind: 'case_fact', reason: 'r', without: 'x', with: 'y', action: 'apply', passage: 1 } as const;
const atomizeOutput: AtomizeOutput = {
  atoms: [
    { ...source, key: 's1', text: 'The user takes lithium.', level: 'C' },
    { ...source, key: 's2', text: 'The user runs.', level: 'B' },
  ],
  dropped: [],
};

const whole: Workpiece = {
  ...lithium,
  derive: { query: 'What helps against cramps?', requestTerms: ['cramps'], passages: [], dropped: [] },
  atomize: atomizeOutput,
  plan: {
    level: 1,
    redraws: 0,
    blocks: [
      { id: 'b1', seats: ['x1', 's2'] },
      { id: 'b2', seats: ['s1', 'h1'] },
    ],
  },
  hardDistractor: {
    family: 'scope_overreach',
    text: 'The user once won a race.',
    kind: 'profile_fact',
    temptingSentence: 't',
    anchor: { where: 'query', quote: 'q' },
    whyNotApplicable: 'w',
  },
  auxiliary: { texts: { x1: 'The user owns a canoe.' } },
  rubrics: { rubrics: { s1: rubric('lithium'), s2: rubric('running'), h1: rubric('race'), x1: rubric('canoe') } },
  naturalize: { memoryTexts: { b1: 'The user owns a canoe and runs.', b2: 'The user takes lithium and once won a race.' } },
};

function decide<Reply>(step: StepDefinition, workpiece: Workpiece, replies: Readonly<Record<string, Reply>>): StepVerdict<unknown> {
  const parts = new Map<string, PartReply<unknown>>();
  for (const [partId, reply] of Object.entries(replies)) parts.set(partId, { reply: step.replySchema.parse(reply), repaired: false });
  return step.accept(step.input(workpiece), parts);
}

const fidelity = (change: Partial<ReviewFidelityReply['atoms'][number]> = {}): ReviewFidelityReply => ({
  atoms: [
    { atom: 's1', faithful: 'pass', distinct: 'pass', reason: 'ok', ...change },
    { atom: 's2', faithful: 'pass', distinct: 'pass', reason: 'ok' },
  ],
});

const approve = {
  atom: '',
  in_query: 'not',
  gives_away: 'none',
  legitimate_use: 'none',
  distinct: 'pass',
  level: 'pass',
  rubric: 'pass',
  reason: 'ok',
} as const;
const clean: ReviewCalibrationReply = {
  query: { coherent: 'pass', answerable: 'pass', reason: 'ok' },
  atoms: [
    { ...approve, atom: 'b1.a1' },
    { ...approve, atom: 'b1.a2', legitimate_use: 'bounded' },
    { ...approve, atom: 'b2.a1', legitimate_use: 'direct' },
    { ...approve, atom: 'b2.a2' },
  ],
  blocks: [
    { block: 'b1', keeps_all: 'pass', adds_none: 'pass', reason: 'ok' },
    { block: 'b2', keeps_all: 'pass', adds_none: 'pass', reason: 'ok' },
  ],
};

function calibration(atom: string, change: Partial<ReviewCalibrationReply['atoms'][number]>): ReviewCalibrationReply {
  return { ...clean, atoms: clean.atoms.map((item) => (item.atom === atom ? { ...item, ...change } : item)) };
}

test('both reviews ask both reviewers the same thing, under the roles that answer', () => {
  for (const step of [reviewFidelity, reviewCalibration]) {
    const [first, second, ...more] = step.requests(step.input(whole));
    expect([first?.partId, second?.partId, more.length]).toEqual(['reviewerA', 'reviewerB', 0]);
    expect(first?.payload).toEqual(second?.payload);
  }
});

test('review-calibration sees published ids in block order and nothing of where an atom comes from', () => {
  const [request] = reviewCalibration.requests(reviewCalibration.input(whole));
  expect(request?.payload).toMatchObject({
    blocks: [
      { block: 'b1', atoms: ['b1.a1', 'b1.a2'] },
      { block: 'b2', atoms: ['b2.a1', 'b2.a2'] },
    ],
    atoms: [{ atom: 'b1.a1' }, { atom: 'b1.a2' }, { atom: 'b2.a1' }, { atom: 'b2.a2' }],
  });
  const sent = JSON.stringify(request?.payload);
  for (const word of [
    '"s1"',
    '"s2"',
    '"h1"',
    '"x1"',
    'evidence',
    'kind',
    'case_fact',
    'family',
    'provenance',
    'source',
    'passage',
    'without',
    'tempting',
    ...HARD_FAMILIES,
  ])
    expect(sent).not.toContain(word);
  expect(sent).not.toContain(lithium.candidate.row.question);
  const [fidelityRequest] = reviewFidelity.requests(reviewFidelity.input(whole));
  expect(Object.keys(fidelityRequest?.payload ?? {})).toEqual(['task', 'domain', 'context', 'question', 'atoms']);
  expect(JSON.stringify(fidelityRequest?.payload)).not.toContain('canoe');
});

test.each([
  ['both approve', fidelity(), fidelity(), { kind: 'accepted', output: { approvedBy: ['reviewerA', 'reviewerB'] } }],
  [
    'the second fails faithful',
    fidelity(),
    fidelity({ faithful: 'fail' }),
    { kind: 'rejected', reason: 'review_fidelity_faithful', partId: 'reviewerB' },
  ],
  [
    'the first fails distinct',
    fidelity({ distinct: 'fail' }),
    fidelity(),
    { kind: 'rejected', reason: 'review_fidelity_distinct', partId: 'reviewerA' },
  ],
  ['one cannot tell', fidelity({ faithful: 'cannot_tell' }), fidelity(), { kind: 'noVerdict', partIds: ['reviewerA'] }],
  [
    'one fails while the other cannot tell',
    fidelity({ faithful: 'cannot_tell' }),
    fidelity({ faithful: 'fail' }),
    { kind: 'rejected', partId: 'reviewerB' },
  ],
  ['an invented id', fidelity({ atom: 's9' }), fidelity(), { kind: 'noVerdict', partIds: ['reviewerA'] }],
  ['a repeated id', fidelity({ atom: 's2', faithful: 'fail' }), fidelity(), { kind: 'noVerdict', partIds: ['reviewerA'] }],
  [
    'a missing atom, whatever it fails',
    { atoms: fidelity({ faithful: 'fail' }).atoms.slice(0, 1) },
    fidelity(),
    { kind: 'noVerdict', partIds: ['reviewerA'] },
  ],
] as const)('review-fidelity: %s', (_name, reviewerA, reviewerB, verdict) => {
  expect(decide(reviewFidelity, whole, { reviewerA, reviewerB })).toMatchObject(verdict);
});

test('a reviewer who gave nothing usable is no verdict, and the other one may still reject', () => {
  expect(decide(reviewFidelity, whole, { reviewerB: fidelity() })).toEqual({ kind: 'noVerdict', partIds: ['reviewerA'] });
  expect(decide(reviewFidelity, whole, { reviewerB: fidelity({ distinct: 'fail' }) })).toMatchObject({ kind: 'rejected' });
  expect(decide(reviewCalibration, whole, {})).toEqual({ kind: 'noVerdict', partIds: ['reviewerA', 'reviewerB'] });
});

const rejected = (reason: string): object => ({ kind: 'rejected', reason, partId: 'reviewerA' });

test.each<readonly [string, ReviewCalibrationReply, object]>([
  ['all parts pass', clean, { kind: 'accepted' }],
  ['a B or C atom stands in the query', calibration('b2.a1', { in_query: 'supplied' }), rejected('query_supplies_atom')],
  ['a B or C atom stands partly in the query', calibration('b1.a2', { in_query: 'partly' }), rejected('query_supplies_atom')],
  ['an A atom may stand in the query', calibration('b1.a1', { in_query: 'partly' }), { kind: 'accepted' }],
  ['an A atom gives a C atom away', calibration('b1.a1', { gives_away: 'b2.a1' }), rejected('review_calibration_gives_away')],
  ['an A atom that hints at another A atom costs nothing', calibration('b1.a1', { gives_away: 'b2.a2' }), { kind: 'accepted' }],
  ['what a C atom lends a B atom is a matter of distinct', calibration('b2.a1', { gives_away: 'b1.a2' }), { kind: 'accepted' }],
  ['None in capitals is none', calibration('b1.a1', { gives_away: 'None' }), { kind: 'accepted' }],
  ['an A atom has a use', calibration('b2.a2', { legitimate_use: 'bounded' }), rejected('review_calibration_legitimate_use')],
  ['a B atom has none', calibration('b1.a2', { legitimate_use: 'none' }), rejected('review_calibration_level')],
  ['a B atom decides', calibration('b1.a2', { legitimate_use: 'direct' }), rejected('review_calibration_level')],
  ['a C atom only supports', calibration('b2.a1', { legitimate_use: 'bounded' }), rejected('review_calibration_level')],
  ['level fails', calibration('b1.a2', { level: 'fail' }), rejected('review_calibration_level')],
  ['distinct fails', calibration('b1.a2', { distinct: 'fail' }), rejected('review_calibration_distinct')],
  ['rubric fails', calibration('b1.a1', { rubric: 'fail' }), rejected('review_calibration_rubric')],
  ['query incoherent', { ...clean, query: { ...clean.query, coherent: 'fail' } }, rejected('review_calibration_coherent')],
  ['query unanswerable', { ...clean, query: { ...clean.query, answerable: 'fail' } }, rejected('review_calibration_answerable')],
  [
    'a block loses an atom',
    { ...clean, blocks: clean.blocks.map((block) => ({ ...block, keeps_all: 'fail' as const })) },
    rejected('review_calibration_keeps_all'),
  ],
  [
    'a block adds something',
    { ...clean, blocks: clean.blocks.map((block) => ({ ...block, adds_none: 'fail' as const })) },
    rejected('review_calibration_adds_none'),
  ],
  ['cannot tell a level', calibration('b1.a2', { level: 'cannot_tell' }), { kind: 'noVerdict', partIds: ['reviewerA'] }],
  ['a fail beside a cannot tell', calibration('b1.a2', { level: 'cannot_tell', rubric: 'fail' }), rejected('review_calibration_rubric')],
  ['gives away an unknown atom', calibration('b1.a1', { gives_away: 'b7.a1' }), { kind: 'noVerdict' }],
  ['gives itself away', calibration('b1.a1', { gives_away: 'b1.a1' }), { kind: 'noVerdict' }],
  ['an atom is missing', { ...clean, atoms: clean.atoms.slice(1) }, { kind: 'noVerdict' }],
  ['a block is missing', { ...clean, blocks: clean.blocks.slice(1) }, { kind: 'noVerdict' }],
  ['a block is invented', { ...clean, blocks: clean.blocks.map((block) => ({ ...block, block: 'b9' })) }, { kind: 'noVerdict' }],
])('review-calibration: %s', (_name, reviewerA, verdict) => {
  expect(decide(reviewCalibration, whole, { reviewerA, reviewerB: clean })).toMatchObject(verdict);
});

test('a query that covers the rubric of a used atom is flagged when both approve', () => {
  const query = 'Names lithium, decides the remark none?';
  const leaking = { ...whole, derive: { query, requestTerms: [], passages: [], dropped: [] } };
  const open = {
    ...rubric('lithium'),
    correct_use: 'lithium',
    under_use: 'lithium',
    over_use: 'lithium',
    forbidden_memory_role: 'lithium',
    validity_scope: 'lithium',
    observable_checks: ['decides the remark'],
  };
  const workpiece = { ...leaking, rubrics: { rubrics: { ...whole.rubrics?.rubrics, s1: open } } };
  expect(decide(reviewCalibration, workpiece, { reviewerA: clean, reviewerB: clean })).toMatchObject({
    kind: 'accepted',
    flags: [{ rule: 'leak_rubric', where: 'b2.a1' }],
  });
});

test('a review without the outputs it needs is an error', () => {
  const { rubrics: _rubrics, ...unfinished } = whole;
  expect(() => reviewCalibration.input(unfinished)).toThrow(WorkpieceError);
  expect(() => reviewCalibration.input(lithium)).toThrow(WorkpieceError);
  expect(() => reviewFidelity.input(lithium)).toThrow(WorkpieceError);
});
