import { z } from 'zod';
import type { JsonObject } from './json.ts';

/** Keywords that bound values but that some providers refuse in strict mode; our own parser still enforces them. */
const BOUNDS = new Set(['$schema', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'pattern', 'format', 'default']);

/** Keywords every strict provider accepts (the common subset of OpenAI, Anthropic, Gemini and Mistral). */
const STRICT = new Set(['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', 'description']);

function withoutBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBounds);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !BOUNDS.has(key))
      .map(([key, member]) => [
        key,
        key === 'properties' && member !== null && typeof member === 'object'
          ? Object.fromEntries(Object.entries(member).map(([name, schema]) => [name, withoutBounds(schema)]))
          : withoutBounds(member),
      ]),
  );
}

/** The JSON Schema of a reply as it is sent to a provider in strict mode: the shape without bounds on lengths and numbers. */
export function strictReplySchema(schema: z.ZodType): JsonObject {
  return withoutBounds(z.toJSONSchema(schema, { reused: 'inline' })) as JsonObject;
}

/** Where a JSON Schema leaves the strict subset: objects closed with every property required, known keywords only, an object at the root. */
export function strictSubsetProblems(schema: unknown, path = '$'): readonly string[] {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return [`${path} is no schema`];
  const node = schema as Readonly<Record<string, unknown>>;
  const problems = Object.keys(node)
    .filter((key) => !STRICT.has(key))
    .map((key) => `${path} has ${key}`);
  if (path === '$' && node['type'] !== 'object') problems.push('$ is no object');
  if (node['type'] === undefined && node['anyOf'] === undefined) problems.push(`${path} has no type`);
  if (node['type'] === 'object') {
    const properties = (node['properties'] ?? {}) as Readonly<Record<string, unknown>>;
    const required = new Set(Array.isArray(node['required']) ? node['required'] : []);
    if (node['additionalProperties'] !== false) problems.push(`${path} is open`);
    for (const [name, member] of Object.entries(properties)) {
      if (!required.has(name)) problems.push(`${path}.${name} is optional`);
      problems.push(...strictSubsetProblems(member, `${path}.${name}`));
    }
  }
  if (node['type'] === 'array') problems.push(...strictSubsetProblems(node['items'], `${path}[]`));
  if (Array.isArray(node['anyOf'])) node['anyOf'].forEach((member, at) => problems.push(...strictSubsetProblems(member, `${path}|${at}`)));
  return problems;
}

/** `ExampleRecord` is `example-record.json`. */
function fileNameOf(exportName: string): string {
  return `${exportName.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()}.json`;
}

/**
 * JSON Schema of every Zod schema among the exports of some modules, by file name: what other languages read.
 * Config is described as it is written (defaults may be left out), everything else as it is stored.
 */
export function schemaDocuments(modules: readonly Readonly<Record<string, unknown>>[]): ReadonlyMap<string, string> {
  const documents = new Map<string, string>();
  for (const [name, value] of modules.flatMap((exports) => Object.entries(exports)).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!(value instanceof z.ZodType)) continue;
    const file = fileNameOf(name);
    if (documents.has(file)) throw new Error(`Two schemas are called ${name}: rename one, their files would be the same`);
    const json = z.toJSONSchema(value, { io: name.endsWith('Config') ? 'input' : 'output' });
    documents.set(file, `${JSON.stringify({ title: name, ...json }, null, 2)}\n`);
  }
  return documents;
}
