import type { JsonObject } from '../schemas/json.ts';
import type { ChatMessage } from '../schemas/ledger.ts';

/** A repair turn: the model's own reply and what is wrong with it. */
export interface RepairTurn {
  readonly reply: string;
  readonly notes: readonly { readonly rule: string; readonly path: string; readonly message: string }[];
}

/**
 * The messages of one call. Row text stands only as JSON values inside the one user message; substituted text is never rescanned.
 * `schemaInPrompt` is given when the endpoint enforces no schema: it is then appended to the instructions.
 */
export function buildMessages(
  instructions: string,
  payload: JsonObject,
  options: { readonly schemaInPrompt?: JsonObject; readonly repair?: RepairTurn } = {},
): readonly ChatMessage[] {
  const contract =
    options.schemaInPrompt === undefined
      ? ''
      : `\n\nReply with one JSON object and nothing else. It must satisfy this JSON Schema:\n${JSON.stringify(options.schemaInPrompt)}`;
  const messages: ChatMessage[] = [
    { role: 'system', content: instructions + contract },
    { role: 'user', content: JSON.stringify(payload) },
  ];
  if (options.repair !== undefined) {
    messages.push(
      { role: 'assistant', content: options.repair.reply },
      {
        role: 'user',
        content: JSON.stringify({
          problems: options.repair.notes,
          task: 'Send the whole reply again with these problems mended and nothing else changed.',
        }),
      },
    );
  }
  return messages;
}
