import { z } from 'zod';
import type { JsonObject, JsonValue } from '../schemas/json.ts';

/**
 * How many bounds an endpoint takes: `strict` keeps list lengths and drops text lengths and patterns (OpenAI's strict subset),
 * `keep` sends all, `strip` none (grammar engines that choke on counts). The reply is held against the full schema either way.
 */
export type SchemaBounds = 'keep' | 'strict' | 'strip';

/** A schema that strict structured output would refuse. */
export class SchemaSubsetError extends Error {
  override readonly name = 'SchemaSubsetError';
  readonly path: string;
  readonly rule: string;
  constructor(path: string, rule: string) {
    super(`The reply schema breaks the strict subset at ${path === '' ? 'its root' : path}: ${rule}.`);
    this.path = path;
    this.rule = rule;
  }
}

const TEXT_BOUNDS = ['minLength', 'maxLength', 'pattern', 'format'];
const COUNT_BOUNDS = ['minItems', 'maxItems', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const STRUCTURE = ['type', 'properties', 'required', 'additionalProperties', 'items', 'anyOf', 'enum', 'const', 'description', 'title'];
const ALLOWED = new Set([...STRUCTURE, ...TEXT_BOUNDS, ...COUNT_BOUNDS]);
const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const DEEPEST = 10;
const MOST_PROPERTIES = 5000;
const MOST_ENUM_VALUES = 1000;

/** The JSON Schema of a reply as it is sent; throws SchemaSubsetError when strict mode would refuse it. */
export function replyJsonSchema(schema: z.ZodType, bounds: SchemaBounds = 'strict'): JsonObject {
  const raw = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'output', reused: 'inline' }) as unknown as JsonObject;
  const dropped = new Set(['$schema', ...(bounds === 'keep' ? [] : TEXT_BOUNDS), ...(bounds === 'strip' ? COUNT_BOUNDS : [])]);
  const json = prune(raw, dropped);
  assertStrictSubset(json);
  return json;
}

/** Throws SchemaSubsetError at the first place that strict structured output refuses: optional or open objects, refs, unions at the root. */
export function assertStrictSubset(schema: JsonObject): void {
  if (schema['type'] !== 'object') throw new SchemaSubsetError('', 'the root must be an object and no union');
  const properties = check(schema, '', 1);
  if (properties > MOST_PROPERTIES) throw new SchemaSubsetError('', `more than ${MOST_PROPERTIES} properties`);
}

function check(schema: JsonObject, path: string, depth: number): number {
  if (depth > DEEPEST) throw new SchemaSubsetError(path, `nested deeper than ${DEEPEST}`);
  const unknown = Object.keys(schema).find((keyword) => !ALLOWED.has(keyword));
  if (unknown !== undefined) throw new SchemaSubsetError(path, `keyword ${unknown} is not in the subset`);
  const { type, anyOf, items } = schema as { type?: JsonValue; anyOf?: JsonValue; items?: JsonValue };
  if (Array.isArray(schema['enum']) && schema['enum'].length > MOST_ENUM_VALUES)
    throw new SchemaSubsetError(path, `more than ${MOST_ENUM_VALUES} enum values`);
  if (Array.isArray(anyOf)) return sum(anyOf.map((member, index) => check(asSchema(member, path), `${path}|${index}`, depth)));
  if (typeof type !== 'string' || !TYPES.has(type)) throw new SchemaSubsetError(path, 'every part needs one type');
  if (type === 'array') return check(asSchema(items, path), `${path}[]`, depth + 1);
  return type === 'object' ? checkObject(schema, path, depth) : 0;
}

function checkObject(schema: JsonObject, path: string, depth: number): number {
  if (schema['additionalProperties'] !== false) throw new SchemaSubsetError(path, 'additionalProperties must be false');
  const properties = asSchema(schema['properties'], path);
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return sum(
    Object.entries(properties).map(([name, member]) => {
      const at = path === '' ? name : `${path}.${name}`;
      if (!required.has(name))
        throw new SchemaSubsetError(at, 'every property must be required; use a union with null instead of optional');
      return 1 + check(asSchema(member, at), at, depth + 1);
    }),
  );
}

function asSchema(value: JsonValue | undefined, path: string): JsonObject {
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value))
    throw new SchemaSubsetError(path, 'a schema is missing');
  return value as JsonObject;
}

function prune(schema: JsonObject, dropped: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(schema).filter(([keyword, value]) => !dropped.has(keyword) && !isSafeIntegerBound(keyword, value));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'properties') {
        const members = Object.entries(value as JsonObject).map(([name, member]) => [name, prune(member as JsonObject, dropped)]);
        return [keyword, Object.fromEntries(members) as JsonObject];
      }
      if (keyword === 'items') return [keyword, prune(value as JsonObject, dropped)];
      if (keyword === 'anyOf') return [keyword, (value as readonly JsonObject[]).map((member) => prune(member, dropped))];
      return [keyword, value];
    }),
  );
}

/** Zod writes the range of safe integers, which says nothing and troubles grammar engines. */
function isSafeIntegerBound(keyword: string, value: JsonValue): boolean {
  return (keyword === 'minimum' || keyword === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
