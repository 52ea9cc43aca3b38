import { z } from 'zod';
import { Domain } from '../../schemas/levels.ts';
import { ExampleRecord, MemoryAtom, MemoryBlock, RecordProvenance, UsageRubric } from '../../schemas/record.ts';
import type { Finding, Invariant, ValidationMode } from './violation.ts';

/** Provenance is optional on import: a field that says nothing usable (null, a split of another name) counts as absent. */
const ImportedProvenance = z.object({
  source_dataset: RecordProvenance.shape.source_dataset.optional().catch(undefined),
  source_id: RecordProvenance.shape.source_id.optional().catch(undefined),
  source_revision: RecordProvenance.shape.source_revision.optional().catch(undefined),
  source_license: RecordProvenance.shape.source_license.optional().catch(undefined),
  attribution: RecordProvenance.shape.attribution.optional().catch(undefined),
  group_key: RecordProvenance.shape.group_key.optional().catch(undefined),
  pipeline_hash: RecordProvenance.shape.pipeline_hash.optional().catch(undefined),
  split: RecordProvenance.shape.split.optional().catch(undefined),
});

/** A record as published by others: unknown fields are dropped, `health_seed` is health. */
const ImportedRecord = z.object({
  ...ExampleRecord.shape,
  ...ImportedProvenance.shape,
  domain: z.preprocess((value) => (value === 'health_seed' ? 'health' : value), Domain),
  memory_blocks: z.array(MemoryBlock.strip()).min(1),
  memories: z.array(MemoryAtom.extend({ usage_rubric: UsageRubric.strip() }).strip()).min(1),
});

const RULE_OF_FIELD: Readonly<Record<string, Invariant>> = {
  id: 'id_non_empty',
  domain: 'domain_known',
  question: 'question_non_empty',
  memory_blocks: 'has_blocks_and_atoms',
  memories: 'has_blocks_and_atoms',
  'memory_blocks.parent_memory_id': 'block_ids_unique',
  'memory_blocks.memory_text': 'memory_text_non_empty',
  'memory_blocks.atomic_concat_text': 'concat_text_exact',
  'memory_blocks.atom_ids': 'block_non_empty',
  'memories.atom_id': 'atom_ids_unique',
  'memories.parent_memory_id': 'parent_matches_block',
  'memories.text': 'atom_text_non_empty',
  'memories.u_star': 'level_known',
  'memories.memory_action': 'level_action_legal',
  'memories.usage_rubric': 'rubric_complete',
  ...Object.fromEntries(Object.keys(RecordProvenance.shape).map((field) => [field, 'provenance_field' as const])),
};

function findingOf(issue: z.core.$ZodIssue): Finding {
  const names = issue.path.filter((part): part is string => typeof part === 'string');
  const rule =
    issue.code === 'unrecognized_keys'
      ? 'unknown_field'
      : (RULE_OF_FIELD[names.slice(0, 2).join('.')] ?? RULE_OF_FIELD[names[0] ?? ''] ?? 'record_shape');
  const keys = issue.code === 'unrecognized_keys' ? `: ${issue.keys.join(', ')}` : '';
  return { rule, detail: `${issue.path.map(String).join('.') || 'record'} ${issue.code}${keys}` };
}

/** Reads a parsed line as a record: strict for a release, lenient about unknown fields on import. */
export function checkShape(
  value: unknown,
  mode: ValidationMode,
): { readonly record: ExampleRecord | null; readonly findings: readonly Finding[] } {
  const parsed = (mode === 'release' ? ExampleRecord : ImportedRecord).safeParse(value);
  if (!parsed.success) return { record: null, findings: parsed.error.issues.map(findingOf) };
  const blank = parsed.data.id.trim() === '';
  return { record: parsed.data, findings: blank ? [{ rule: 'id_non_empty', detail: 'id is blank' }] : [] };
}

/** The id of a line that may be no record, or null. */
export function idOf(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || !('id' in value)) return null;
  return typeof value.id === 'string' && value.id.trim() !== '' ? value.id : null;
}
