import { z } from 'zod';
import { Action, Domain, Level } from './levels.ts';

const text = z.string().refine((value) => value.trim() !== '', 'must not be blank');

/** The rubric of one atom as published (SPEC §2). */
export const UsageRubric = z.strictObject({
  expected_answer_behavior: text,
  correct_use: text,
  under_use: text,
  over_use: text,
  forbidden_memory_role: text,
  validity_scope: text,
  observable_checks: z.array(text).min(1),
});
export type UsageRubric = z.infer<typeof UsageRubric>;

export const MemoryAtom = z.strictObject({
  atom_id: z.string().min(1),
  parent_memory_id: z.string().min(1),
  text,
  u_star: Level,
  memory_action: Action,
  usage_rubric: UsageRubric,
});
export type MemoryAtom = z.infer<typeof MemoryAtom>;

export const MemoryBlock = z.strictObject({
  parent_memory_id: z.string().min(1),
  memory_text: text,
  atomic_concat_text: text,
  atom_ids: z.array(z.string().min(1)).min(1),
});
export type MemoryBlock = z.infer<typeof MemoryBlock>;

/** Provenance fields repeated in the record and, with `calls`, in provenance.jsonl. Optional on import, present in our exports. */
export const RecordProvenance = z.strictObject({
  source_dataset: z.string().min(1),
  source_id: z.string().min(1),
  source_revision: z.string().min(1),
  source_license: z.string().min(1),
  attribution: z.string(),
  group_key: z.string().min(1),
  pipeline_hash: z.string().min(1),
  split: z.enum(['train', 'test']),
});
export type RecordProvenance = z.infer<typeof RecordProvenance>;

/** One example in the published shape. */
export const ExampleRecord = z.strictObject({
  id: z.string().min(1),
  domain: Domain,
  question: text,
  memory_blocks: z.array(MemoryBlock).min(1),
  memories: z.array(MemoryAtom).min(1),
  ...RecordProvenance.partial().shape,
});
export type ExampleRecord = z.infer<typeof ExampleRecord>;

/** One line of provenance.jsonl; `calls` are ledger keys (64 hexadecimal digits), in step order. */
export const ProvenanceLine = z.strictObject({ id: z.string().min(1), ...RecordProvenance.shape, calls: z.array(z.string()) });
export type ProvenanceLine = z.infer<typeof ProvenanceLine>;

/** One line of rejected.jsonl: ids, step and reason, never row text. */
export const RejectedLine = z.strictObject({
  id: z.string().min(1),
  source_dataset: z.string(),
  source_id: z.string(),
  step: z.string().min(1),
  reason: z.string().min(1),
});
export type RejectedLine = z.infer<typeof RejectedLine>;
