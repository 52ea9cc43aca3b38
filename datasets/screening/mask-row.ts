import type { SourceRow } from '../../schemas/source-row.ts';
import { findIdentifiers, type IdentifierKind } from './identifiers.ts';

/** A row whose identifiers are replaced by placeholders, and how many of each kind there were. */
export interface MaskedRow {
  readonly row: SourceRow;
  readonly counts: Readonly<Partial<Record<IdentifierKind, number>>>;
}

/** Replaces identifiers in question, context and answer: `[email]`, the next different one `[email 2]`; equal values get equal placeholders all over the row. */
export function maskRow(row: SourceRow): MaskedRow {
  const placeholders = new Map<string, string>();
  const seen: Partial<Record<IdentifierKind, number>> = {};
  const counts: Partial<Record<IdentifierKind, number>> = {};
  const mask = (text: string): string => {
    let out = '';
    let at = 0;
    for (const { kind, value, start } of findIdentifiers(text, row.domain)) {
      const key = `${kind}:${value.toLowerCase()}`;
      let placeholder = placeholders.get(key);
      if (placeholder === undefined) {
        const number = (seen[kind] ?? 0) + 1;
        seen[kind] = number;
        placeholder = number === 1 ? `[${kind}]` : `[${kind} ${number}]`;
        placeholders.set(key, placeholder);
      }
      counts[kind] = (counts[kind] ?? 0) + 1;
      out += text.slice(at, start) + placeholder;
      at = start + value.length;
    }
    return out + text.slice(at);
  };
  const context = row.context.map((turn) => ({ ...turn, text: mask(turn.text) }));
  const question = mask(row.question);
  const answer = mask(row.answer);
  return { row: Object.keys(counts).length === 0 ? row : { ...row, context, question, answer }, counts };
}
