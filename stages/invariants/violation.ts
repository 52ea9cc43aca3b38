/**
 * Every invariant of a dataset by name (SPEC §2) and where it holds: `both` on import and release,
 * `release` only in what we write (the published 15,000 name roles in ids, carry no provenance, ...).
 */
export const INVARIANTS = {
  file_present: 'release',
  line_is_json: 'both',
  no_bom: 'release',
  ends_with_newline: 'release',
  has_records: 'both',
  record_shape: 'both',
  unknown_field: 'release',
  id_non_empty: 'both',
  ids_unique_over_splits: 'both',
  domain_known: 'both',
  question_non_empty: 'both',
  has_blocks_and_atoms: 'both',
  atom_ids_unique: 'both',
  atom_text_non_empty: 'both',
  every_atom_in_one_block: 'both',
  block_ids_unique: 'both',
  block_non_empty: 'both',
  parent_matches_block: 'both',
  concat_text_exact: 'both',
  memory_text_non_empty: 'both',
  level_known: 'both',
  level_action_legal: 'both',
  has_b_or_c: 'both',
  rubric_complete: 'both',
  one_paragraph: 'release',
  single_atom_block_byte_equal: 'release',
  ids_neutral: 'release',
  atom_texts_distinct: 'release',
  third_person: 'release',
  text_well_formed: 'release',
  queries_unique: 'both',
  splits_disjoint_by_source_id: 'both',
  splits_disjoint_by_group_key: 'both',
  splits_disjoint_by_near_query: 'both',
  has_provenance: 'release',
  provenance_field: 'both',
  provenance_matches_record: 'both',
  provenance_without_record: 'release',
  split_matches_file: 'both',
  rejection_has_reason: 'release',
  manifest_shape: 'both',
  manifest_lists_files: 'both',
  manifest_hash: 'both',
  manifest_counts: 'both',
  manifest_pipeline_hash: 'both',
  card_present: 'release',
} as const;
export type Invariant = keyof typeof INVARIANTS;

/** What a check found in one record: the invariant it breaks and one clause that says where. */
export interface Finding {
  readonly rule: Invariant;
  readonly detail: string;
}

/** A broken invariant, the record (or `file:line`) that breaks it, and one clause of detail without row text. */
export interface Violation extends Finding {
  readonly record: string;
}

/** A `release` stops at any violation; an `import` sets violating records aside and goes on. */
export type ValidationMode = 'release' | 'import';

/** Whether an invariant is asked for in a mode. */
export function holdsIn(rule: Invariant, mode: ValidationMode): boolean {
  return mode === 'release' || INVARIANTS[rule] === 'both';
}
