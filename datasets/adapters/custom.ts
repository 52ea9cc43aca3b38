import type { JsonObject } from '../../schemas/json.ts';
import { normaliseText } from '../normalise.ts';
import {
  completed,
  contentId,
  hasColumn,
  idOf,
  rejected,
  textOf,
  wrongColumns,
  type AdapterContext,
  type AdapterResult,
} from './adapter.ts';

/** A user's own dataset by the column map of its config entry; the entry names the domain too. */
export function readCustom(row: JsonObject, context: AdapterContext): AdapterResult {
  const { columns, domain, name, split } = context.source;
  if (columns === undefined || domain === undefined)
    return rejected(
      context,
      'incomplete_config',
      `Source ${name} uses the adapter custom and must give columns and domain in memcalib.config.ts.`,
    );
  if (!hasColumn(row, columns.question) || !hasColumn(row, columns.answer))
    return wrongColumns(context, `${columns.question}, ${columns.answer}`, row);
  const question = normaliseText(textOf(row, columns.question) ?? '');
  const answer = normaliseText(textOf(row, columns.answer) ?? '');
  const earlier = columns.context === undefined ? null : textOf(row, columns.context);
  const nativeId = columns.id === undefined ? null : idOf(row, columns.id);
  const group = columns.group === undefined ? null : idOf(row, columns.group);
  const id = `${name}:${split}:${nativeId ?? contentId(question, answer)}`;
  return completed(context, {
    sourceId: id,
    groupKey: `custom:${name}:${group ?? nativeId ?? contentId(question)}`,
    domain,
    question,
    context: earlier === null ? [] : [{ speaker: 'user', text: normaliseText(earlier) }],
    answer,
    metadata: {},
  });
}
