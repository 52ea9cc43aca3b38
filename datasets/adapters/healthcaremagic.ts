import type { JsonObject } from '../../schemas/json.ts';
import { hasColumn, textOf, wrongColumns, type AdapterContext, type AdapterResult } from './adapter.ts';
import { dialogueRow } from './dialogue.ts';

/** Puts right what the project's search-and-replace left in running text: "Chat Doctor" where a site or a doctor's name stood. */
function withoutSiteName(text: string): string {
  return text
    .replace(
      /\b(?:thanks?(?: you)? for (?:asking|using|contacting)|welcome to)\s+(?:on |to |at )?Chat ?Doctor(?: forum)?\s*[.!,]?/gi,
      (match) => (/[.!,]$/.test(match) ? '' : match),
    )
    .replace(/\s*(?:Regards,?\s*)?\bChat ?Doctor\s*[.,]?\s*$/i, '')
    .replace(/(?<=[a-z]{3})\.(?=[A-Z][a-z]+\b)/g, '. ');
}

/** HealthCareMagic-100k: `input` and `output`; the constant `instruction` is dropped. There is no native id, so content names the row. */
export function readHealthCareMagic(row: JsonObject, context: AdapterContext): AdapterResult {
  if (!hasColumn(row, 'input') || !hasColumn(row, 'output')) return wrongColumns(context, 'instruction, input, output', row);
  return dialogueRow(context, {
    idPrefix: 'healthcaremagic',
    description: '',
    question: textOf(row, 'input') ?? '',
    answer: withoutSiteName(textOf(row, 'output') ?? ''),
    metadata: { rowIndex: context.origin.row - 1 },
  });
}
