import { expect, test } from 'vitest';
import { z } from 'zod';
import { bindRoles, pipelineHash, prepareSteps } from '../../activities/prepare-steps.ts';
import { readPrompts } from '../../cli/prompt-files.ts';
import { CONFIG_FIELDS } from '../../schemas/config-classes.ts';
import { Config } from '../../schemas/config.ts';
import type { ConfigInput } from '../../schemas/config.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
}

/** Paths of all leaves of a config schema; a value of any JSON counts as one leaf. */
function leaves(schema: JsonSchema | boolean, path: string): readonly string[] {
  if (typeof schema === 'boolean') return [path];
  const under = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const inner = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, of]) => leaves(of, under(name))),
    ...(typeof schema.additionalProperties === 'object' ? leaves(schema.additionalProperties, under('*')) : []),
    ...(schema.items === undefined ? [] : leaves(schema.items, under('*'))),
    ...(path.endsWith('.*') ? [] : (schema.anyOf ?? []).flatMap((of) => leaves(of, path))),
  ];
  return inner.length === 0 ? [path] : inner;
}

const json = z.toJSONSchema(Config, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
const paths = new Set(leaves(json, '').map((path) => path.replace(/^(models\.)[^.]+/, '$1*')));

test('every field of the config is semantic, operational or cosmetic by an explicit line', () => {
  expect(paths.size).toBeGreaterThan(40);
  expect([...paths].filter((path) => !Object.hasOwn(CONFIG_FIELDS, path))).toEqual([]);
});

test('the table names no field that the config does not have', () => {
  expect(Object.keys(CONFIG_FIELDS).filter((path) => !paths.has(path))).toEqual([]);
});

const model = (name: string): { provider: string; model: string } => ({ provider: 'p', model: name });
const BASE: ConfigInput = {
  name: 'n',
  target: { health: 1, general: 1, coding: 1 },
  sources: [{ name: 's', adapter: 'meddialog', path: 'rows.jsonl' }],
  providers: { p: { baseUrl: 'http://127.0.0.1:1' } },
  models: { builder: model('b'), reviewerA: model('ra'), reviewerB: model('rb') },
};

function hashes(config: ConfigInput): { readonly pipeline: string; readonly step: string } {
  const checked = Config.parse(config);
  const prompts = readPrompts({ file: 'x', baseDir: '.', projectFolder: '', config: checked });
  const spec: RunSpec = { runId: 'r', label: 'main', startedAt: 0, config: checked, baseDir: '.', rehearsal: false, prompts };
  const mode = checked.providers?.['p']?.structuredOutput ?? 'auto';
  const { provider, model: name } = bindRoles(spec).builder;
  const steps = prepareSteps(spec, { [`${provider}/${name}`]: mode === 'auto' ? 'json_schema' : mode });
  return { pipeline: pipelineHash(spec, steps), step: steps.get('derive')?.version ?? '' };
}

const provider = { baseUrl: 'http://127.0.0.1:1' };
const builder = model('b');
const others = { reviewerA: model('ra'), reviewerB: model('rb') };
const price = { inputPerMillionUsd: 1, outputPerMillionUsd: 1 };

test.each<[string, Partial<ConfigInput>]>([
  ['name', { name: 'other' }],
  ['seed', { seed: 'other' }],
  ['target.health', { target: { health: 9, general: 1, coding: 1 } }],
  ['providers.*.baseUrl', { providers: { p: { baseUrl: 'http://127.0.0.1:2' } } }],
  ['providers.*.concurrency', { providers: { p: { ...provider, concurrency: 2 } } }],
  ['providers.*.requestsPerMinute', { providers: { p: { ...provider, requestsPerMinute: 2 } } }],
  ['providers.*.timeoutSeconds', { providers: { p: { ...provider, timeoutSeconds: 2 } } }],
  ['providers.*.structuredOutput', { providers: { p: { ...provider, structuredOutput: 'json_object' } } }],
  ['providers.*.schemaBounds', { providers: { p: { ...provider, schemaBounds: 'keep' } } }],
  ['models.*.model', { models: { builder: model('b2'), ...others } }],
  ['models.*.temperature', { models: { builder: { ...builder, temperature: 1 }, ...others } }],
  ['models.*.topP', { models: { builder: { ...builder, topP: 0.5 }, ...others } }],
  ['models.*.seed', { models: { builder: { ...builder, seed: 3 }, ...others } }],
  ['models.*.extra.*', { models: { builder: { ...builder, extra: { enable_thinking: false } }, ...others } }],
  ['models.*.maxTokensFactor', { models: { builder: { ...builder, maxTokensFactor: 2 }, ...others } }],
  ['prices.*.inputPerMillionUsd', { prices: { b: price } }],
  ['construction.window', { construction: { window: 2 } }],
  ['budget.perRunUsd', { budget: { perRunUsd: 1 } }],
  ['screening.minQualityScore', { screening: { minQualityScore: 70 } }],
  ['testShare', { testShare: 0.2 }],
])('a change of %s moves the hashes that its class says, and no other', (path, change) => {
  const before = hashes(BASE);
  const after = hashes({ ...BASE, ...change });
  const rule = CONFIG_FIELDS[path];
  expect(after.step !== before.step).toBe(rule?.decides === 'step');
  expect(after.pipeline !== before.pipeline).toBe(rule?.decides === 'step' || path === 'seed');
});
