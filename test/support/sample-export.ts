import type { Action, Domain, Level } from '../../schemas/levels.ts';
import type { ExampleRecord, ProvenanceLine, RejectedLine, UsageRubric } from '../../schemas/record.ts';
import { renderCard, type CardFacts } from '../../stages/card.ts';
import type { ExportParts } from '../../hub/write-export.ts';

type AtomText = readonly [text: string, level: Level, action: Action];

const PIPELINE = 'a'.repeat(64);

function rubric(topic: string): UsageRubric {
  return {
    expected_answer_behavior: `The answer treats ${topic} as far as the question asks for it.`,
    correct_use: `${topic} shapes the answer where it bears on it.`,
    under_use: `The answer passes over ${topic}.`,
    over_use: `The answer turns on ${topic} beyond its bearing.`,
    forbidden_memory_role: `${topic} as the sole ground of the answer.`,
    validity_scope: 'This question only.',
    observable_checks: [`No sentence names ${topic}.`, `One remark names ${topic}.`, `The conclusion follows from ${topic}.`],
  };
}

/** A valid record: one block of two atoms and one of one, written by hand for this project. */
function record(number: number, domain: Domain, question: string, atoms: readonly [AtomText, AtomText, AtomText]): ExampleRecord {
  const made = atoms.map(([text, level, action], at) => ({
    atom_id: at < 2 ? `b1.a${at + 1}` : 'b2.a1',
    parent_memory_id: at < 2 ? 'b1' : 'b2',
    text,
    u_star: level,
    memory_action: action,
    usage_rubric: rubric(text.split(' ').slice(-2).join(' ')),
  }));
  const [first, second, third] = atoms.map(([text]) => text) as [string, string, string];
  return {
    id: number.toString(16).padStart(16, '0'),
    domain,
    question,
    memory_blocks: [
      {
        parent_memory_id: 'b1',
        memory_text: `${first} Besides, ${second}`,
        atomic_concat_text: `${first} ${second}`,
        atom_ids: ['b1.a1', 'b1.a2'],
      },
      { parent_memory_id: 'b2', memory_text: third, atomic_concat_text: third, atom_ids: ['b2.a1'] },
    ],
    memories: made,
    source_dataset: 'demo/handwritten',
    source_id: `demo:train:${number}`,
    source_revision: 'r1',
    source_license: 'CC0-1.0',
    attribution: 'written for this project',
    group_key: `demo:${number}`,
    pipeline_hash: PIPELINE,
    split: number >= 5 ? 'test' : 'train',
  };
}

/** Six valid records, four train and two test, over the three domains. */
export function sampleRecords(): readonly ExampleRecord[] {
  return [
    record(1, 'health', 'My ankle still aches in the mornings, which stretches are worth trying before work?', [
      ['The user sprained the left ankle five weeks ago.', 'B', 'apply'],
      ['The user keeps two goldfish in the hallway.', 'A', 'ignore'],
      ['The user was told not to load the ankle before June.', 'C', 'apply'],
    ]),
    record(2, 'health', 'Could the new tablets explain why I wake up thirsty at night?', [
      ['The user collects stamps of lighthouses.', 'A', 'ignore'],
      ['The user doubles the evening dose after a salty dinner.', 'C', 'correct'],
      ['The user rides a bus to the library on Fridays.', 'A', 'ignore'],
    ]),
    record(3, 'general', 'What would be a good plan for a quiet weekend somewhere by the sea?', [
      ['The user has already walked the whole northern coast path.', 'B', 'apply'],
      ['The user gets seasick on any boat.', 'C', 'apply'],
      ['The user painted the kitchen door green.', 'A', 'ignore'],
    ]),
    record(4, 'coding', 'Which way of finding the first repeated entry fits here? Answer in prose without code blocks.', [
      ['The user works with a list that is already sorted.', 'C', 'apply'],
      ['The user prefers dark colour themes.', 'A', 'ignore'],
      ['The user has lists of at most nine hundred entries.', 'B', 'apply'],
    ]),
    record(5, 'general', 'How should I begin a letter that asks the landlord for a lower rent?', [
      ['The user once worked in a bakery.', 'A', 'ignore'],
      ['The user signed a contract that fixes the rent until March.', 'C', 'apply'],
      ['The user owns a fountain pen.', 'A', 'ignore'],
    ]),
    record(6, 'coding', 'Why does the nightly export stop halfway through every few days? Answer in prose without code blocks.', [
      ['The user runs the export on a machine that restarts at three.', 'C', 'apply'],
      ['The user named the machine after a composer.', 'A', 'ignore'],
      ['The user writes the export to a network drive.', 'B', 'apply'],
    ]),
  ];
}

function text(value: string | undefined): string {
  return value ?? '';
}

/** The provenance line that belongs to a record. */
export function provenanceOf(record: ExampleRecord): ProvenanceLine {
  const { id, source_dataset, source_id, source_revision, source_license, attribution, group_key, pipeline_hash, split } = record;
  return {
    id,
    source_dataset: text(source_dataset),
    source_id: text(source_id),
    source_revision: text(source_revision),
    source_license: text(source_license),
    attribution: text(attribution),
    group_key: text(group_key),
    pipeline_hash: text(pipeline_hash),
    split: split ?? 'train',
    calls: ['b'.repeat(64)],
  };
}

export const REJECTED: readonly RejectedLine[] = [
  { id: '00000000000000ff', source_dataset: 'demo/handwritten', source_id: 'demo:train:9', step: 'screen', reason: 'needs_review' },
  { id: 'demo:train:10', source_dataset: 'demo/handwritten', source_id: 'demo:train:10', step: 'rows', reason: 'missing_answer' },
];

/** Card facts of the sample export, without counts. */
export const CARD_FACTS: Omit<CardFacts, 'counts'> = {
  name: 'sample',
  rehearsal: false,
  allowUnknownLicence: false,
  sources: [{ dataset: 'demo/handwritten', revision: 'r1', licences: ['CC0-1.0'], attributionRule: '' }],
  models: {
    builder: { provider: 'local', model: 'writer-1' },
    reviewerA: { provider: 'local', model: 'reader-1' },
    reviewerB: { provider: 'other', model: 'reader-2' },
  },
  stepVersions: [{ step: 'screen', version: 'c'.repeat(16) }],
  pipelineHash: PIPELINE,
  seed: 'seed-1',
  codeVersion: '0.1.0',
};

/** Parts of a valid export of the given records. */
export function sampleParts(records: readonly ExampleRecord[] = sampleRecords()): ExportParts {
  return {
    name: 'sample',
    seed: 'seed-1',
    pipelineHash: PIPELINE,
    rehearsal: false,
    train: records.filter(({ split }) => split === 'train'),
    test: records.filter(({ split }) => split === 'test'),
    provenance: records.map(provenanceOf),
    rejected: REJECTED,
    card: (counts) => renderCard({ ...CARD_FACTS, counts }),
    run: { startedAt: 1 },
  };
}
