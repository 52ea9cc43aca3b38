import type { SourceConfig } from '../../schemas/config.ts';
import { hashOf } from '../../schemas/hash.ts';
import type { JsonObject, JsonValue } from '../../schemas/json.ts';
import type { Domain } from '../../schemas/levels.ts';
import type { ContextTurn, RowRejection, SourceRow } from '../../schemas/source-row.ts';
import { LICENCES } from '../licences.ts';

/** Where a row came from and under which source entry of the config. */
export interface AdapterContext {
  readonly source: SourceConfig;
  readonly origin: { readonly file: string; readonly row: number };
}

/** What an adapter makes of one unit (a row, or a tree of rows): a source row or a rejection with its reason. */
export type AdapterResult =
  | { readonly kind: 'row'; readonly row: SourceRow }
  | { readonly kind: 'rejected'; readonly rejection: RowRejection };

/** Fields an adapter finds in a native row; the rest of a source row follows from the config. */
export interface RowDraft {
  /** `<dataset>:<split>:<native id>`. */
  readonly sourceId: string;
  readonly groupKey: string;
  readonly domain: Domain;
  readonly question: string;
  readonly context: readonly ContextTurn[];
  readonly answer: string;
  readonly metadata: JsonObject;
  readonly licence?: string;
  readonly attribution?: string;
}

/** Hub id when the rows come from the hub, else the name of the source: a local file never claims to be a hub dataset. */
export function sourceDatasetOf(source: SourceConfig): string {
  return source.hub?.repo ?? source.name;
}

/** The rejection of a row with its reason code; `detail` says why in one sentence without row text. */
export function rejected(context: AdapterContext, reason: string, detail: string, sourceId?: string): AdapterResult {
  const { source, origin } = context;
  return {
    kind: 'rejected',
    rejection: {
      source: source.name,
      sourceDataset: sourceDatasetOf(source),
      sourceId: sourceId ?? `${origin.file}:${origin.row}`,
      reason,
      detail,
      origin,
    },
  };
}

/** Completes a draft to a source row, or rejects it when question or answer is missing: nothing is repaired or invented. */
export function completed(context: AdapterContext, draft: RowDraft): AdapterResult {
  const { source, origin } = context;
  if (draft.question.trim() === '') return rejected(context, 'missing_question', 'The row has no question.', draft.sourceId);
  if (draft.answer.trim() === '') return rejected(context, 'missing_answer', 'The row has no answer.', draft.sourceId);
  const entry = LICENCES[source.adapter];
  return {
    kind: 'row',
    row: {
      source: source.name,
      sourceDataset: sourceDatasetOf(source),
      sourceId: draft.sourceId,
      sourceRevision: source.revision,
      sourceLicense: source.licence ?? draft.licence ?? entry.licence,
      attribution: source.attribution ?? draft.attribution ?? entry.attribution,
      groupKey: draft.groupKey,
      domain: draft.domain,
      question: draft.question,
      context: [...draft.context],
      answer: draft.answer,
      origin,
      metadata: draft.metadata as SourceRow['metadata'],
    },
  };
}

/** Text of the first column among `names` that is present; null when none is, when it is not a text, or says nothing ("NaN", "null"). */
export function textOf(row: JsonObject, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = row[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') return null;
    const trimmed = value.trim();
    return trimmed === '' || /^(?:nan|null|none)$/i.test(trimmed) ? null : value;
  }
  return null;
}

/** Identifier of the first column among `names` as text: numbers and big integers in texts are both accepted. */
export function idOf(row: JsonObject, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = row[name];
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return null;
}

/** Whether a row has at least one of the columns; a row with none is of another schema. */
export function hasColumn(row: JsonObject, ...names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(row, name));
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Content id of a row without a native one: 16 hexadecimal digits. */
export function contentId(...parts: readonly string[]): string {
  return hashOf(parts).slice(0, 16);
}

/** The one answer for a row whose columns are not those of its source. */
export function wrongColumns(context: AdapterContext, expected: string, row: JsonObject): AdapterResult {
  const found = Object.keys(row).slice(0, 8).join(', ');
  return rejected(context, 'wrong_columns', `Expected the columns ${expected}; found ${found === '' ? 'none' : found}.`);
}
