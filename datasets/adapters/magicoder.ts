import { sha256Hex } from '../../schemas/hash.ts';
import type { JsonObject } from '../../schemas/json.ts';
import { normaliseText } from '../normalise.ts';
import { completed, contentId, hasColumn, idOf, textOf, wrongColumns, type AdapterContext, type AdapterResult } from './adapter.ts';

/** Magicoder OSS-Instruct: problem and solution; the seed (code of third parties) is named by its hash only, so that nothing in it can spread. */
export function readMagicoder(row: JsonObject, context: AdapterContext): AdapterResult {
  if (!hasColumn(row, 'problem') || !hasColumn(row, 'solution'))
    return wrongColumns(context, 'problem, solution, lang, index, raw_index, seed', row);
  const question = normaliseText(textOf(row, 'problem') ?? '');
  const rawIndex = idOf(row, 'raw_index') ?? contentId(question);
  const seed = textOf(row, 'seed');
  return completed(context, {
    sourceId: `magicoder-oss:${rawIndex}:${idOf(row, 'index') ?? '0'}`,
    groupKey: `magicoder:${rawIndex}`,
    domain: 'coding',
    question,
    context: [],
    answer: normaliseText(textOf(row, 'solution') ?? ''),
    metadata: {
      lang: textOf(row, 'lang'),
      openaiFingerprint: textOf(row, 'openai_fingerprint'),
      seedSha256: seed === null ? null : sha256Hex(seed),
    },
  });
}
