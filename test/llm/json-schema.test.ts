import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { assertStrictSubset, replyJsonSchema } from '../../llm/json-schema.ts';
import { responseFormatFor } from '../../llm/structured-output.ts';
import { STEPS } from '../../schemas/steps.ts';

const folder = join(import.meta.dirname, '../../schemas/replies');
const modules = await Promise.all(
  readdirSync(folder).map(
    async (file) => [file, (await import(pathToFileURL(join(folder, file)).href)) as Record<string, unknown>] as const,
  ),
);
const replies = modules.flatMap(([file, module]) =>
  Object.entries(module).flatMap(([name, value]) =>
    name.endsWith('Reply') && value instanceof z.ZodType ? [[`${file} ${name}`, value] as const] : [],
  ),
);

describe('every reply schema we send', () => {
  it('is found, one per step', () => {
    expect(replies.length).toBeGreaterThanOrEqual(STEPS.length);
  });

  it.each(replies)('%s lies in the strict subset at every setting of bounds', (_, schema) => {
    expect(JSON.stringify(replyJsonSchema(schema, 'keep'))).toContain('maxLength');
    expect(JSON.stringify(replyJsonSchema(schema, 'strict'))).not.toContain('maxLength');
    expect(JSON.stringify(replyJsonSchema(schema, 'strip'))).not.toMatch(/"maxLength"|"maxItems"|"minimum"/);
  });
});

describe('the strict subset', () => {
  it.each([
    ['an optional field', z.strictObject({ a: z.string().optional() }), 'a'],
    ['an open object', z.looseObject({ a: z.string() }), ''],
    ['a record', z.strictObject({ a: z.record(z.string(), z.string()) }), 'a'],
    ['a union at the root', z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]), ''],
    ['anything', z.strictObject({ a: z.unknown() }), 'a'],
    ['a tuple', z.strictObject({ a: z.tuple([z.string()]) }), 'a'],
  ])('refuses %s and says where', (_, schema, path) => {
    expect(() => replyJsonSchema(schema)).toThrowError(expect.objectContaining({ name: 'SchemaSubsetError', path }));
  });

  it('refuses more nesting than endpoints take', () => {
    let schema: z.ZodType = z.strictObject({ leaf: z.string() });
    for (let depth = 0; depth < 10; depth++) schema = z.strictObject({ next: schema });
    expect(() => replyJsonSchema(schema)).toThrowError(/deeper/);
    expect(() => assertStrictSubset({ type: 'object', properties: {}, required: [], additionalProperties: false, $ref: '#' })).toThrowError(
      /\$ref/,
    );
  });

  it('takes null by union, lists with bounds, enums and integers', () => {
    const schema = z.strictObject({ a: z.string().max(9).nullable(), b: z.array(z.int()).max(3), c: z.enum(['x', 'y']) });
    expect(replyJsonSchema(schema)).toEqual({
      type: 'object',
      properties: {
        a: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        b: { type: 'array', maxItems: 3, items: { type: 'integer' } },
        c: { type: 'string', enum: ['x', 'y'] },
      },
      required: ['a', 'b', 'c'],
      additionalProperties: false,
    });
  });

  it('puts the schema into the prompt wherever the endpoint does not enforce it', () => {
    const schema = z.strictObject({ a: z.string() });
    expect(responseFormatFor('json_schema', 'a step', schema)).toMatchObject({
      responseFormat: { type: 'json_schema', name: 'a_step' },
      schemaInPrompt: null,
    });
    expect(responseFormatFor('json_object', 'a', schema)).toEqual({
      responseFormat: { type: 'json_object' },
      schemaInPrompt: replyJsonSchema(schema),
    });
    expect(responseFormatFor('text', 'a', schema).responseFormat).toEqual({ type: 'text' });
  });
});
