import type { z } from 'zod';
import { JudgeReply } from '../../../schemas/judging.ts';
import { AtomizeReply } from '../../../schemas/replies/atomize.ts';
import { AuxiliaryDistractorsReply } from '../../../schemas/replies/auxiliary-distractors.ts';
import { DeriveReply } from '../../../schemas/replies/derive.ts';
import { HardDistractorReply } from '../../../schemas/replies/hard-distractor.ts';
import { NaturalizeReply } from '../../../schemas/replies/naturalize.ts';
import { ReviewCalibrationReply } from '../../../schemas/replies/review-calibration.ts';
import { ReviewFidelityReply } from '../../../schemas/replies/review-fidelity.ts';
import { RubricsReply } from '../../../schemas/replies/rubrics.ts';
import { ScreenReply } from '../../../schemas/replies/screen.ts';
import type { RehearsedTask } from '../../../llm/rehearsal/tasks.ts';

const question =
  'Hello doctor, I have been taking lisinopril 10 mg every morning for six weeks. I am a 61 year old carpenter. My neighbour told me to add a salt substitute, and I started it last week. What can I do about my cough?';
const atoms = [
  { atom: 's1', text: 'The user has been taking lisinopril 10 mg every morning for six weeks.', level: 'C', action: 'apply' },
  { atom: 's2', text: 'The user is a 61 year old carpenter.', level: 'A', action: 'ignore' },
] as const;
const rubric = {
  expected_answer_behavior: 'The answer lets the conclusion turn on taking lisinopril 10 mg every morning six weeks 61 carpenter.',
  correct_use: 'x',
  under_use: 'x',
  over_use: 'x',
  forbidden_memory_role: 'x',
  validity_scope: 'x',
  observable_checks: ['a', 'b', 'c'],
};

/** Reply schema of every step. */
export const REPLY_SCHEMAS: Readonly<Record<RehearsedTask, z.ZodType>> = {
  screen: ScreenReply,
  derive: DeriveReply,
  atomize: AtomizeReply,
  'hard-distractor': HardDistractorReply,
  'auxiliary-distractors': AuxiliaryDistractorsReply,
  rubrics: RubricsReply,
  naturalize: NaturalizeReply,
  'review-fidelity': ReviewFidelityReply,
  'review-calibration': ReviewCalibrationReply,
  judge: JudgeReply,
};

/** One hand-written payload for every step. */
export const PAYLOADS: Readonly<Record<RehearsedTask, Readonly<Record<string, unknown>>>> = {
  screen: {
    task: 'screen',
    domain: 'health',
    context: [],
    question,
    answer: 'A dry cough is a known effect of lisinopril. Ask your doctor about another tablet, and leave out the salt substitute.',
  },
  derive: { task: 'derive', domain: 'health', context: [], question, reference_answer: 'Ask for another tablet.' },
  atomize: {
    task: 'atomize',
    domain: 'health',
    query: 'What can I do about my cough?',
    request_terms: ['cough'],
    passages: [
      {
        passage: 1,
        title: 'tablet',
        text: 'The user has been taking lisinopril 10 mg every morning for six weeks. The user is a 61 year old carpenter.',
        evidence: [
          { field: 'question', speaker: 'user', quote: 'I have been taking lisinopril 10 mg every morning for six weeks' },
          { field: 'question', speaker: 'user', quote: 'I am a 61 year old carpenter' },
        ],
      },
    ],
    dropped: [],
  },
  'hard-distractor': {
    task: 'hard-distractor',
    domain: 'health',
    family: 'scope_overreach',
    query: 'What can I do about my cough?',
    atoms,
    left_out: [],
  },
  'auxiliary-distractors': {
    task: 'auxiliary-distractors',
    domain: 'health',
    query: 'What can I do about my cough?',
    atoms,
    left_out: [],
    blocks: [
      {
        block: 'b1',
        seated: ['s1'],
        scene: { area: 'kitchen and cooking', kind: 'a habit', person: 'the user' },
        slots: [
          { slot: 'x1', words: 12, holds: 'number' },
          { slot: 'x2', words: 6, holds: 'neither' },
        ],
      },
      {
        block: 'b2',
        seated: [],
        scene: { area: 'an area nobody listed', kind: 'a past event', person: 'a cousin of the user' },
        slots: [{ slot: 'x3', words: 14, holds: 'name' }],
      },
    ],
  },
  rubrics: {
    task: 'rubrics',
    domain: 'health',
    query: 'What can I do about my cough?',
    atoms: atoms.map((atom) => ({ ...atom, without: null, with: null, tempting_sentence: null })),
    write_for: ['s1', 's2'],
  },
  naturalize: {
    task: 'naturalize',
    atoms: [
      { n: 1, text: 'The user owns a ladle from box 12.' },
      { n: 2, text: 'The user has been taking lisinopril 10 mg every morning for six weeks.' },
    ],
  },
  'review-fidelity': {
    task: 'review-fidelity',
    domain: 'health',
    context: [],
    question,
    atoms: atoms.map(({ atom, text }) => ({ atom, text })),
  },
  'review-calibration': {
    task: 'review-calibration',
    domain: 'health',
    query: 'What can I do about my cough?',
    blocks: [{ block: 'b1', memory_text: atoms.map(({ text }) => text).join(' '), atoms: ['s1', 's2'] }],
    atoms: atoms.map((atom) => ({ ...atom, block: 'b1', rubric })),
  },
  judge: {
    task: 'judge',
    current_query: 'What can I do about my cough?',
    model_facing_memory: [{ parent_memory_id: 'm1', memory_text: atoms.map(({ text }) => text).join(' ') }],
    model_response:
      'A cough is a known effect of lisinopril. Taking 10 mg every morning for six weeks is long enough to ask for another tablet.',
    atomic_rubrics: atoms.map(({ atom, text, level }) => ({
      atom_id: atom,
      parent_memory_id: 'm1',
      text,
      u_star: level,
      usage_rubric: rubric,
    })),
  },
};

/** The body of a chat completion request for a payload. */
export function bodyFor(payload: unknown, extra: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    model: 'rehearsal',
    temperature: 0,
    response_format: { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema: {} } },
    messages: [
      { role: 'system', content: 'instructions' },
      { role: 'user', content: JSON.stringify(payload) },
    ],
    ...extra,
  };
}
