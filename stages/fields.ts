import type { JsonObject } from '../schemas/json.ts';
import type { FieldText } from '../schemas/payloads.ts';
import type { SourceRow } from '../schemas/source-row.ts';

/** Context turns as payload fields `context.1`, `context.2`, ..., oldest first. */
export function contextFields(context: SourceRow['context']): readonly FieldText[] {
  return context.map((turn, index) => ({ field: `context.${index + 1}`, speaker: turn.speaker, text: turn.text }));
}

/** Every quotable field of a row; the question is the user's, the answer the assistant's. */
export function rowFields(row: Pick<SourceRow, 'context' | 'question' | 'answer'>): readonly FieldText[] {
  return [
    ...contextFields(row.context),
    { field: 'question', speaker: 'user', text: row.question },
    { field: 'answer', speaker: 'assistant', text: row.answer },
  ];
}

/** A payload as the JSON object it is: interfaces of schemas/payloads.ts hold only JSON values. */
export function payloadJson(payload: { readonly task: string }): JsonObject {
  return payload;
}
