import type { ExampleRecord } from '../../schemas/record.ts';
import { words } from '../text/words.ts';
import type { Finding } from './violation.ts';

const ROLE_WORDS = /hard|noise|distract|ground|aux|real|synth|ignore|bound|control/i;
const FIRST_PERSON = /^\s*(?:I|I['’]m|I['’]ve|My|We|Our)\b(?![/.-])/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A text as compared for equality: its words in lower case, apostrophes and punctuation gone (RULES, duplicates). */
export function comparableText(text: string): string {
  return words(text)
    .map((word) => word.replaceAll("'", ' '))
    .join(' ');
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value);
  return value === null || typeof value !== 'object' || Object.values(value).every(isWellFormed);
}

/** Neutral ids, distinct atoms, third person and well-formed text of one record. */
export function* checkWording(record: ExampleRecord): Generator<Finding> {
  for (const id of [
    ...record.memories.flatMap((atom) => [atom.atom_id, atom.parent_memory_id]),
    ...record.memory_blocks.map((block) => block.parent_memory_id),
  ]) {
    if (ROLE_WORDS.test(id)) yield { rule: 'ids_neutral', detail: `id ${id} names a role` };
  }
  const first = new Map<string, string>();
  for (const atom of record.memories) {
    const text = comparableText(atom.text);
    const twin = first.get(text);
    if (twin !== undefined) yield { rule: 'atom_texts_distinct', detail: `atoms ${twin} and ${atom.atom_id} say the same` };
    else first.set(text, atom.atom_id);
    if (FIRST_PERSON.test(atom.text)) yield { rule: 'third_person', detail: `atom ${atom.atom_id} begins in the first person` };
  }
  if (!isWellFormed(record)) yield { rule: 'text_well_formed', detail: 'a text holds a lone surrogate' };
}
