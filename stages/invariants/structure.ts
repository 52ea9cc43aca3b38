import { isLegal } from '../../schemas/levels.ts';
import type { ExampleRecord, MemoryAtom, MemoryBlock } from '../../schemas/record.ts';
import type { Finding } from './violation.ts';

/** `atomic_concat_text` by definition: the atoms' texts, each stripped, joined by one space in block order (SPEC §2). */
export function concatOf(texts: readonly string[]): string {
  return texts.map((text) => text.trim()).join(' ');
}

function* checkSeats(record: ExampleRecord, byId: ReadonlyMap<string, MemoryAtom>): Generator<Finding> {
  const seen = new Set<string>();
  for (const id of record.memory_blocks.flatMap((block) => block.atom_ids)) {
    if (seen.has(id)) yield { rule: 'every_atom_in_one_block', detail: `atom ${id} is listed twice` };
    if (!byId.has(id)) yield { rule: 'every_atom_in_one_block', detail: `atom ${id} is listed and does not exist` };
    seen.add(id);
  }
  for (const id of byId.keys()) if (!seen.has(id)) yield { rule: 'every_atom_in_one_block', detail: `atom ${id} stands in no block` };
}

function* checkBlock(block: MemoryBlock, byId: ReadonlyMap<string, MemoryAtom>): Generator<Finding> {
  const name = block.parent_memory_id;
  const atoms = block.atom_ids.flatMap((id) => byId.get(id) ?? []);
  for (const atom of atoms) {
    if (atom.parent_memory_id !== name)
      yield { rule: 'parent_matches_block', detail: `atom ${atom.atom_id} names ${atom.parent_memory_id} and stands in ${name}` };
  }
  if (block.atomic_concat_text !== concatOf(atoms.map((atom) => atom.text)))
    yield { rule: 'concat_text_exact', detail: `block ${name} differs from its atoms' texts` };
  if (/[\n\r\u2028\u2029]/.test(block.memory_text.trim())) yield { rule: 'one_paragraph', detail: `block ${name} holds a line break` };
  if (block.atom_ids.length === 1 && atoms[0] !== undefined && block.memory_text !== atoms[0].text)
    yield { rule: 'single_atom_block_byte_equal', detail: `block ${name} differs from its one atom` };
}

/** Ids, seats, parents, concatenations, levels and actions of one record. */
export function* checkStructure(record: ExampleRecord): Generator<Finding> {
  const byId = new Map(record.memories.map((atom) => [atom.atom_id, atom]));
  if (byId.size !== record.memories.length) yield { rule: 'atom_ids_unique', detail: 'two atoms share an id' };
  const blockIds = new Set(record.memory_blocks.map((block) => block.parent_memory_id));
  if (blockIds.size !== record.memory_blocks.length) yield { rule: 'block_ids_unique', detail: 'two blocks share an id' };
  yield* checkSeats(record, byId);
  for (const block of record.memory_blocks) yield* checkBlock(block, byId);
  for (const atom of record.memories) {
    if (!isLegal(atom.u_star, atom.memory_action))
      yield { rule: 'level_action_legal', detail: `atom ${atom.atom_id} is ${atom.u_star} with ${atom.memory_action}` };
  }
  if (!record.memories.some((atom) => atom.u_star !== 'A')) yield { rule: 'has_b_or_c', detail: 'all atoms are A' };
}
