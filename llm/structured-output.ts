import type { z } from 'zod';
import type { JsonObject } from '../schemas/json.ts';
import type { ResponseFormat } from '../schemas/ledger.ts';
import { replyJsonSchema } from './json-schema.ts';
import type { SchemaBounds } from './json-schema.ts';

/** Rungs of the structured output ladder, best first. */
export const STRUCTURED_OUTPUT_MODES = ['json_schema', 'json_object', 'text'] as const;
export type StructuredOutputMode = (typeof STRUCTURED_OUTPUT_MODES)[number];

/** The response format of a step at a mode, and the schema to put into the prompt where the endpoint enforces none. */
export function responseFormatFor(
  mode: StructuredOutputMode,
  name: string,
  schema: z.ZodType,
  bounds: SchemaBounds = 'strict',
): { readonly responseFormat: ResponseFormat; readonly schemaInPrompt: JsonObject | null } {
  const json = replyJsonSchema(schema, bounds);
  if (mode === 'json_schema')
    return { responseFormat: { type: 'json_schema', name: schemaName(name), schema: json }, schemaInPrompt: null };
  return { responseFormat: { type: mode }, schemaInPrompt: json };
}

function schemaName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
