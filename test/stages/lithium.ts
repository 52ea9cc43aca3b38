import type { Workpiece } from '../../schemas/workpiece.ts';
import type { AtomizeReply } from '../../schemas/replies/atomize.ts';
import type { DeriveReply } from '../../schemas/replies/derive.ts';
import type { ScreenReply } from '../../schemas/replies/screen.ts';

/** A row written for this project (CC0): three facts of the user, one thing an assistant said, one question. */
export const lithium: Workpiece = {
  seed: 'seed',
  candidate: {
    id: '00000000000000aa',
    domain: 'health',
    position: 0,
    stratum: 's',
    measures: { qualityScore: 70, topic: 't', complexity: 'medium', signalFamilies: [] },
    row: {
      source: 'demo',
      sourceDataset: 'demo',
      sourceId: 'demo:1',
      sourceRevision: 'r',
      sourceLicense: 'CC0-1.0',
      attribution: '',
      groupKey: 'demo:1',
      domain: 'health',
      context: [
        { speaker: 'user', text: 'I sing in a choir and want to stay fit.' },
        { speaker: 'assistant', text: 'Singing is fine. Drink at least two litres of water every day.' },
      ],
      question:
        'I have been on lithium for two years. I took up running in March and now I get cramps in my calves. What can I do about the cramps?',
      answer: 'Have your lithium level and salts checked soon, and drink enough around your runs.',
      origin: { file: 'demo.jsonl', row: 1 },
      metadata: {},
    },
  },
};

const pass = (field: string, quote: string): ScreenReply['text_integrity'] => ({
  verdict: 'pass',
  evidence: { field, quote },
  reason: 'fine',
});

/** A reply that admits the row. */
export const screenReply: ScreenReply = {
  question_completeness: pass('question', 'What can I do about the cramps?'),
  answer_relevance: pass('answer', 'drink enough around your runs'),
  answer_substance: pass('answer', 'Have your lithium level and salts checked'),
  safety_plausibility: pass('answer', 'Have your lithium level and salts checked'),
  memory_extractability: pass('question', 'I have been on lithium for two years'),
  text_integrity: pass('question', 'I took up running in March'),
};

/** A reply that breaks no rule of derive. */
export const deriveReply: DeriveReply = {
  query: 'What can I do about my cramps?',
  request_terms: ['cramps'],
  passages: [
    {
      title: 'medicine',
      text: 'The user takes lithium. The user has taken the present medicine for two years.',
      evidence: [{ field: 'question', quote: 'I have been on lithium for two years' }],
    },
    {
      title: 'running',
      text: 'The user took up running in March.',
      evidence: [{ field: 'question', quote: 'I took up running in March' }],
    },
    {
      title: 'advice',
      text: 'The user was told to drink at least two litres of water every day.',
      evidence: [{ field: 'context.2', quote: 'Drink at least two litres of water every day' }],
    },
  ],
  dropped: [{ text: 'The user sings in a choir.', reason: 'idle' }],
};

const atom = (passage: number, text: string, quote: string, level: 'A' | 'B' | 'C', field = 'question'): AtomizeReply['atoms'][number] => ({
  passage,
  text,
  evidence: [{ field, quote }],
  without: 'says one thing',
  with: 'says another thing',
  level,
  action: level === 'A' ? 'ignore' : 'apply',
  kind: 'case_fact',
  reason: 'r',
});

/** A reply that breaks no rule of atomize. */
export const atomizeReply: AtomizeReply = {
  atoms: [
    atom(1, 'The user takes lithium.', 'I have been on lithium', 'C'),
    atom(1, 'The user has taken the present medicine for two years.', 'for two years', 'B'),
    atom(2, 'The user took up running in March', 'took up running in March', 'B'),
    atom(3, 'The user was told to drink at least two litres of water every day.', 'Drink at least two litres', 'B', 'context.2'),
  ],
  dropped: [],
};
