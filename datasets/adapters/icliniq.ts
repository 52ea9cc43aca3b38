import type { JsonObject } from '../../schemas/json.ts';
import { hasColumn, textOf, wrongColumns, type AdapterContext, type AdapterResult } from './adapter.ts';
import { dialogueRow } from './dialogue.ts';
import { readMedDialog } from './meddialog.ts';

/** iCliniq in both schemas: ChatDoctor's columns (of which only the person's answer is read, never a model's) and the scraper's title, body and answer. */
export function readIcliniq(row: JsonObject, context: AdapterContext): AdapterResult {
  if (hasColumn(row, 'answer_icliniq'))
    return dialogueRow(context, {
      idPrefix: 'icliniq',
      description: '',
      question: textOf(row, 'input') ?? '',
      answer: textOf(row, 'answer_icliniq') ?? '',
      metadata: {},
    });
  if (hasColumn(row, 'question_text')) {
    const tags = row['tags'];
    return dialogueRow(context, {
      idPrefix: 'icliniq',
      description: textOf(row, 'question') ?? '',
      question: textOf(row, 'question_text') ?? '',
      answer: textOf(row, 'answer') ?? '',
      metadata: { url: textOf(row, 'url'), tags: Array.isArray(tags) ? tags : [] },
    });
  }
  if (hasColumn(row, 'Patient', 'patient_message')) return readMedDialog(row, context);
  return wrongColumns(context, 'input, answer_icliniq (or question, question_text, answer)', row);
}
