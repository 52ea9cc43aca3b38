import type { ExampleRecord, MemoryAtom } from '../schemas/record.ts';
import type { Workpiece } from '../schemas/workpiece.ts';
import { seatedAtoms, WorkpieceError } from './atoms.ts';
import { planOf } from './block-plan.ts';

/** A finished example without what only a release knows: its split and the pipeline hash. */
export type ComposedExample = Omit<ExampleRecord, 'split' | 'pipeline_hash'>;

/** Puts a finished workpiece into the published shape (SPEC §2): neutral ids, concat text by definition, provenance of the row. */
export function composeExample(workpiece: Workpiece): ComposedExample {
  const { candidate, derive, naturalize } = workpiece;
  if (derive === undefined || naturalize === undefined)
    throw new WorkpieceError(`${candidate.id}: an example is composed after naturalize, not before`);
  const plan = planOf(workpiece);
  const memories = seatedAtoms({ ...workpiece, plan }).map(({ atomId, blockId, text, level, action, rubric }): MemoryAtom => {
    if (rubric === null) throw new WorkpieceError(`${candidate.id}: atom ${atomId} has no rubric`);
    return { atom_id: atomId, parent_memory_id: blockId, text: text.trim(), u_star: level, memory_action: action, usage_rubric: rubric };
  });
  const { row } = candidate;
  return {
    id: candidate.id,
    domain: candidate.domain,
    question: derive.query,
    memory_blocks: plan.blocks.map(({ id }) => {
      const atoms = memories.filter(({ parent_memory_id }) => parent_memory_id === id);
      const memoryText = naturalize.memoryTexts[id];
      if (memoryText === undefined) throw new WorkpieceError(`${candidate.id}: block ${id} has no memory text`);
      return {
        parent_memory_id: id,
        memory_text: memoryText,
        atomic_concat_text: atoms.map(({ text }) => text).join(' '),
        atom_ids: atoms.map(({ atom_id }) => atom_id),
      };
    }),
    memories,
    source_dataset: row.sourceDataset,
    source_id: row.sourceId,
    source_revision: row.sourceRevision,
    source_license: row.sourceLicense,
    attribution: row.attribution,
    group_key: row.groupKey,
  };
}
