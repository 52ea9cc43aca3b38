import { hashOf } from '../schemas/hash.ts';
import type { SourceRow } from '../schemas/source-row.ts';

/** A source row without its place: what decides whether it is the same row. */
export type RowContent = Omit<SourceRow, 'origin'>;

/** The content of a row and its hash; the file it stands in and its number there change neither. */
export function rowContent(row: SourceRow): { readonly content: RowContent; readonly rowHash: string } {
  const { origin: _origin, ...content } = row;
  return { content, rowHash: hashOf(content) };
}
