import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Invariant } from '../../stages/validate-dataset.ts';

/** One way to spoil a valid export: what it changes, the rule it must break and where, and the rule the Python checker names. */
export interface Corruption {
  readonly what: string;
  readonly rule: Invariant;
  readonly record: string;
  /** Null: the checker has no counterpart to this rule of ours. */
  readonly checkerRule: string | null;
  readonly spoil: (folder: string) => void;
  /** True when the manifest itself is what is spoilt: its hashes are then left as they are. */
  readonly keepsManifest?: boolean;
}

const ID = (number: number): string => number.toString(16).padStart(16, '0');

function editLines(file: string, edit: (lines: Record<string, unknown>[]) => unknown[]) {
  return (folder: string): void => {
    const path = join(folder, file);
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    writeFileSync(
      path,
      edit(lines)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  };
}

/** Edits the record with this number where it stands; `split` follows from the number as in the sample. */
function editRecord(number: number, edit: (record: Parts) => void): (folder: string) => void {
  return editLines(number >= 5 ? 'test.jsonl' : 'train.jsonl', (lines) => {
    for (const line of lines) if (line['id'] === ID(number)) edit(line as unknown as Parts);
    return lines;
  });
}

interface Parts {
  id: string;
  domain: string;
  question: string;
  memory_blocks: { parent_memory_id: string; memory_text: string; atomic_concat_text: string; atom_ids: string[] }[];
  memories: {
    atom_id: string;
    parent_memory_id: string;
    text: string;
    u_star: string;
    memory_action: string;
    usage_rubric: Record<string, unknown>;
  }[];
  [field: string]: unknown;
}

function block(record: Parts, at: number): Parts['memory_blocks'][number] {
  const found = record.memory_blocks[at];
  if (found === undefined) throw new Error(`no block ${at}`);
  return found;
}

function atom(record: Parts, at: number): Parts['memories'][number] {
  const found = record.memories[at];
  if (found === undefined) throw new Error(`no atom ${at}`);
  return found;
}

/** Gives an atom another text and keeps concatenation and single-atom block in step with it. */
function retext(record: Parts, at: number, text: string): void {
  atom(record, at).text = text;
  for (const one of record.memory_blocks) {
    one.atomic_concat_text = one.atom_ids.map((id) => record.memories.find((each) => each.atom_id === id)?.text ?? '').join(' ');
    if (one.atom_ids.length === 1) one.memory_text = one.atomic_concat_text;
  }
}

function everywhere(number: number, fields: Record<string, string>): (folder: string) => void {
  return (folder) => {
    editRecord(number, (record) => Object.assign(record, fields))(folder);
    editLines('provenance.jsonl', (lines) => lines.map((line) => (line['id'] === ID(number) ? { ...line, ...fields } : line)))(folder);
  };
}

function append(file: string, text: string): (folder: string) => void {
  return (folder) => writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8') + text);
}

const spoiled = (
  what: string,
  number: number,
  rule: Invariant,
  edit: (record: Parts) => void,
  checkerRule: string | null = rule,
): Corruption => ({
  what,
  rule,
  record: ID(number),
  checkerRule,
  spoil: editRecord(number, edit),
});

const RECORD_CORRUPTIONS: readonly Corruption[] = [
  spoiled('an unknown domain', 1, 'domain_known', (r) => (r.domain = 'sports')),
  spoiled('the published name of health', 1, 'domain_known', (r) => (r.domain = 'health_seed')),
  spoiled('an empty question', 2, 'question_non_empty', (r) => (r.question = '  ')),
  spoiled('no blocks', 2, 'has_blocks_and_atoms', (r) => (r.memory_blocks = [])),
  spoiled('two atoms of one id', 3, 'atom_ids_unique', (r) => (atom(r, 1).atom_id = 'b1.a1')),
  spoiled('an atom in two blocks', 3, 'every_atom_in_one_block', (r) => block(r, 1).atom_ids.push('b1.a1')),
  spoiled('an atom in no block', 3, 'every_atom_in_one_block', (r) => block(r, 0).atom_ids.pop()),
  spoiled('two blocks of one id', 4, 'block_ids_unique', (r) => (block(r, 1).parent_memory_id = 'b1')),
  spoiled('an empty block', 4, 'block_non_empty', (r) => r.memory_blocks.push({ ...block(r, 0), parent_memory_id: 'b3', atom_ids: [] })),
  spoiled('a wrong parent', 4, 'parent_matches_block', (r) => (atom(r, 2).parent_memory_id = 'b1')),
  spoiled(
    'a concatenation with two spaces',
    1,
    'concat_text_exact',
    (r) => (block(r, 0).atomic_concat_text = block(r, 0).atomic_concat_text.replace('. ', '.  ')),
  ),
  spoiled('an empty memory text', 1, 'memory_text_non_empty', (r) => (block(r, 0).memory_text = '')),
  spoiled('two paragraphs', 1, 'one_paragraph', (r) => (block(r, 0).memory_text = 'One.\nTwo.')),
  spoiled('a reworded single atom', 1, 'single_atom_block_byte_equal', (r) => (block(r, 1).memory_text += ' ')),
  spoiled('a role in an atom id', 2, 'ids_neutral', (r) => {
    atom(r, 2).atom_id = 'b2.noise1';
    block(r, 1).atom_ids = ['b2.noise1'];
  }),
  spoiled('two atoms that say the same', 2, 'atom_texts_distinct', (r) => retext(r, 2, `${atom(r, 0).text.replace('.', '')}!`)),
  spoiled('an atom in the first person', 2, 'third_person', (r) => retext(r, 2, "I've a bus card for Fridays.")),
  spoiled('an unknown level', 5, 'level_known', (r) => (atom(r, 0).u_star = 'D')),
  spoiled('an A atom that corrects', 5, 'level_action_legal', (r) => (atom(r, 0).memory_action = 'correct')),
  spoiled('a C atom that is ignored', 5, 'level_action_legal', (r) => (atom(r, 1).memory_action = 'ignore')),
  spoiled('only A atoms', 5, 'has_b_or_c', (r) => Object.assign(atom(r, 1), { u_star: 'A', memory_action: 'ignore' })),
  spoiled('a rubric without a field', 6, 'rubric_complete', (r) => delete atom(r, 0).usage_rubric['over_use']),
  spoiled('a rubric without checks', 6, 'rubric_complete', (r) => (atom(r, 0).usage_rubric['observable_checks'] = [])),
  spoiled('a lone surrogate', 6, 'text_well_formed', (r) => (r.question += ' \ud83d'), null),
  spoiled('a field of its own', 6, 'unknown_field', (r) => (r['kind'] = 'hard'), null),
];

const FOLDER_CORRUPTIONS: readonly Corruption[] = [
  {
    what: 'an id that stands twice',
    rule: 'ids_unique_over_splits',
    record: ID(1),
    checkerRule: 'ids_unique_over_splits',
    spoil: (folder) => {
      editRecord(5, (record) => (record.id = ID(1)))(folder);
    },
  },
  {
    what: 'a query that stands twice',
    rule: 'queries_unique',
    record: ID(3),
    checkerRule: 'queries_unique',
    spoil: editRecord(3, (r) => (r.question = 'Could the new tablets explain: why I wake up thirsty, at night?')),
  },
  {
    what: 'a test query near a train query',
    rule: 'splits_disjoint_by_near_query',
    record: ID(5),
    checkerRule: 'splits_disjoint_by_near_query',
    spoil: editRecord(
      5,
      (r) => (r.question = 'My ankle still aches in the mornings, which stretches are worth trying before work, please?'),
    ),
  },
  {
    what: 'a source row on both sides',
    rule: 'splits_disjoint_by_source_id',
    record: ID(5),
    checkerRule: 'splits_disjoint_by_source_id',
    spoil: everywhere(5, { source_id: 'demo:train:2' }),
  },
  {
    what: 'a group on both sides',
    rule: 'splits_disjoint_by_group_key',
    record: ID(6),
    checkerRule: 'splits_disjoint_by_group_key',
    spoil: everywhere(6, { group_key: 'demo:2' }),
  },
  {
    what: 'a record without provenance',
    rule: 'has_provenance',
    record: ID(2),
    checkerRule: 'has_provenance',
    spoil: editLines('provenance.jsonl', (lines) => lines.filter(({ id }) => id !== ID(2))),
  },
  {
    what: 'a provenance line without calls',
    rule: 'provenance_field',
    record: ID(2),
    checkerRule: 'provenance_field',
    spoil: editLines('provenance.jsonl', (lines) => lines.map((line) => (line['id'] === ID(2) ? { ...line, calls: undefined } : line))),
  },
  {
    what: 'a record that says another licence than its provenance',
    rule: 'provenance_matches_record',
    record: ID(2),
    checkerRule: null,
    spoil: editRecord(2, (r) => (r['source_license'] = 'MIT')),
  },
  {
    what: 'a record in the wrong file',
    rule: 'split_matches_file',
    record: ID(2),
    checkerRule: null,
    spoil: everywhere(2, { split: 'test' }),
  },
  {
    what: 'a rejection without a reason',
    rule: 'rejection_has_reason',
    record: '00000000000000ff',
    checkerRule: 'rejection_has_reason',
    spoil: editLines('rejected.jsonl', (lines) => lines.map((line, at) => (at === 0 ? { ...line, reason: undefined } : line))),
  },
  {
    what: 'a rejection with row text',
    rule: 'rejection_has_reason',
    record: '00000000000000ff',
    checkerRule: null,
    spoil: editLines('rejected.jsonl', (lines) => lines.map((line, at) => (at === 0 ? { ...line, question: 'row text' } : line))),
  },
  {
    what: 'a line that is no JSON',
    rule: 'line_is_json',
    record: 'train.jsonl:5',
    checkerRule: 'line_is_json',
    spoil: append('train.jsonl', '{"id": \n'),
  },
  {
    what: 'a cut last line',
    rule: 'ends_with_newline',
    record: 'test.jsonl:3',
    checkerRule: 'ends_with_newline',
    spoil: append('test.jsonl', '{'),
  },
  {
    what: 'a byte order mark',
    rule: 'no_bom',
    record: 'train.jsonl:1',
    checkerRule: 'no_bom',
    spoil: (folder) => writeFileSync(join(folder, 'train.jsonl'), `\uFEFF${readFileSync(join(folder, 'train.jsonl'), 'utf8')}`),
  },
  {
    what: 'a missing file',
    rule: 'file_present',
    record: 'rejected.jsonl',
    checkerRule: 'file_present',
    spoil: (folder) => rmSync(join(folder, 'rejected.jsonl')),
  },
  {
    what: 'a missing manifest',
    rule: 'file_present',
    record: 'manifest.json',
    checkerRule: 'file_present',
    spoil: (folder) => rmSync(join(folder, 'manifest.json')),
  },
  {
    what: 'a file changed after it was hashed',
    rule: 'manifest_hash',
    record: 'README.md',
    checkerRule: 'manifest_hash',
    spoil: append('README.md', 'x'),
    keepsManifest: true,
  },
  {
    what: 'a manifest that lists nothing',
    rule: 'manifest_lists_files',
    record: 'manifest.json',
    checkerRule: 'manifest_lists_files',
    spoil: (folder) => {
      const path = join(folder, 'manifest.json');
      writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), files: {} }));
    },
    keepsManifest: true,
  },
  {
    what: 'a record too many for the manifest',
    rule: 'manifest_counts',
    record: 'manifest.json',
    checkerRule: null,
    spoil: append('rejected.jsonl', '{"id":"x","source_dataset":"d","source_id":"s","step":"screen","reason":"r"}\n'),
  },
  {
    what: 'a card without front matter',
    rule: 'card_present',
    record: 'README.md',
    checkerRule: 'card_present',
    spoil: (folder) => writeFileSync(join(folder, 'README.md'), '# No front matter\n'),
  },
  {
    what: 'no records at all',
    rule: 'has_records',
    record: 'dataset',
    checkerRule: 'has_records',
    spoil: (folder) => {
      for (const file of ['train.jsonl', 'test.jsonl', 'provenance.jsonl']) writeFileSync(join(folder, file), '');
    },
  },
];

/** Every corruption, on records and on the folder around them. */
export const CORRUPTIONS: readonly Corruption[] = [...RECORD_CORRUPTIONS, ...FOLDER_CORRUPTIONS];

/** Spoils a valid export; the manifest is brought in line again so that only the rule in question breaks. */
export function corrupt(folder: string, { spoil, keepsManifest }: Corruption): void {
  spoil(folder);
  const path = join(folder, 'manifest.json');
  if (keepsManifest === true || !existsSync(path)) return;
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { files: Record<string, string> };
  for (const name of Object.keys(manifest.files)) {
    const file = join(folder, name);
    if (existsSync(file)) manifest.files[name] = createHash('sha256').update(readFileSync(file)).digest('hex');
  }
  writeFileSync(path, JSON.stringify(manifest));
}
