import type { JsonObject, JsonValue } from '../../schemas/json.ts';

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The plainest value a JSON Schema allows: what a probe or canary without a step payload gets. */
export function plainestValue(schema: JsonValue | undefined, depth = 0): JsonValue {
  if (!isObject(schema) || depth > 8) return {};
  if (Array.isArray(schema['enum'])) return (schema['enum'][0] as JsonValue | undefined) ?? null;
  if ('const' in schema) return schema['const'] ?? null;
  const type = Array.isArray(schema['type']) ? (schema['type'] as readonly JsonValue[])[0] : schema['type'];
  if (type === 'object' || isObject(schema['properties'])) {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, plainestValue(value, depth + 1)]));
  }
  if (type === 'array') return [];
  if (type === 'string') return 'ok';
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  return null;
}
