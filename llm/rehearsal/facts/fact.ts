import type { FieldText } from '../../../schemas/payloads.ts';
import type { Domain } from '../../../schemas/levels.ts';

/** A statement about the user with the exact words of the row it comes from. */
export interface Fact {
  /** Third person, one sentence. */
  readonly text: string;
  readonly field: string;
  /** Stands in the field byte for byte. */
  readonly quote: string;
  /** Higher is more consequential. */
  readonly weight: number;
}

/** The part of a payload that facts are read from. */
export interface RowTexts {
  readonly domain: Domain;
  readonly context: readonly FieldText[];
  readonly question: string;
}

/** Fields in reading order with the user's own words marked. */
export function fieldsOf(row: RowTexts): readonly FieldText[] {
  return [...row.context, { field: 'question', speaker: 'user', text: row.question }];
}
