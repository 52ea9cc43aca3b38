import { z } from 'zod';
import type { JsonObject } from '../schemas/json.ts';

const made = new WeakMap<z.ZodType, JsonObject>();

/** JSON Schema of a reply, made once per schema. */
export function replySchemaJson(schema: z.ZodType): JsonObject {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: 'draft-7' }) as Record<string, unknown>;
  made.set(schema, json as JsonObject);
  return json as JsonObject;
}
