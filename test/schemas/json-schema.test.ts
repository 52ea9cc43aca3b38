import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { schemaDocuments, strictReplySchema, strictSubsetProblems } from '../../schemas/json-schema.ts';

const SCHEMAS = resolve(import.meta.dirname, '../../schemas');
type Exports = Readonly<Record<string, unknown>>;

async function modulesUnder(folder: string): Promise<readonly Exports[]> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return Promise.all(names.map(async (name) => (await import(join(folder, name))) as Exports));
}

const replies = (await modulesUnder(join(SCHEMAS, 'replies'))).flatMap((exports) =>
  Object.entries(exports).flatMap(([name, schema]) => (name.endsWith('Reply') && schema instanceof z.ZodType ? [{ name, schema }] : [])),
);

/** Files that TypeScript and Python both read and that no Zod schema makes. */
const KEPT_BY_HAND = new Set(['eval-prompt.json', 'eval-prompt.parity.json', 'judgments.json']);

describe('schemas/generated', () => {
  test('holds the JSON Schema of every Zod schema and nothing else (else type npm run schemas)', async () => {
    const wanted = schemaDocuments(await modulesUnder(SCHEMAS));
    const found = new Map(
      readdirSync(join(SCHEMAS, 'generated'))
        .filter((name) => !KEPT_BY_HAND.has(name))
        .map((name) => [name, readFileSync(join(SCHEMAS, 'generated', name), 'utf8')]),
    );
    expect([...found.keys()].sort((a, b) => (a < b ? -1 : 1))).toEqual([...wanted.keys()].sort((a, b) => (a < b ? -1 : 1)));
    for (const [name, text] of wanted) expect(found.get(name)).toBe(text);
    expect(wanted.size).toBeGreaterThan(20);
  });
});

describe('reply schemas', () => {
  test('there is one for each of the nine steps', () => {
    expect(replies).toHaveLength(9);
  });

  test.each(replies)('$name is sent inside the strict subset that providers accept', ({ schema }) => {
    expect(strictSubsetProblems(strictReplySchema(schema))).toEqual([]);
  });

  test.each([
    ['an optional property', z.strictObject({ a: z.string().optional() }), '$.a is optional'],
    ['an open object', z.looseObject({ a: z.string() }), '$ is open'],
    ['a union at the root', z.union([z.strictObject({}), z.strictObject({ a: z.string() })]), '$ is no object'],
    ['a record', z.strictObject({ a: z.record(z.string(), z.string()) }), '$.a has propertyNames'],
    ['a tuple', z.strictObject({ a: z.tuple([z.string()]) }), '$.a has prefixItems'],
    ['any value', z.strictObject({ a: z.unknown() }), '$.a has no type'],
    [
      'a discriminated union',
      z.strictObject({ a: z.discriminatedUnion('k', [z.strictObject({ k: z.literal('x') }), z.strictObject({ k: z.literal('y') })]) }),
      '$.a has oneOf',
    ],
  ])('the check finds %s', (_, schema, problem) => {
    expect(strictSubsetProblems(strictReplySchema(schema))).toContain(problem);
  });

  test('a property named like a keyword survives', () => {
    expect(strictReplySchema(z.strictObject({ pattern: z.string().max(3), format: z.int() }))).toMatchObject({
      properties: { pattern: { type: 'string' }, format: { type: 'integer' } },
      required: ['pattern', 'format'],
    });
  });
});
