import { z } from 'zod';
import { Config } from '../schemas/config.ts';
import { CliError, EXIT } from './cli-error.ts';
import { nearestName } from './nearest-name.ts';

/** Takes the wrappers (optional, default, prefault) off a schema. */
function bare(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) inner = inner.unwrap();
  return inner;
}

/** The fields the config schema has at a path; none where it has no named fields. */
export function knownNames(path: readonly PropertyKey[]): readonly string[] {
  let at = bare(Config);
  for (const part of path) {
    if (at instanceof z.ZodObject) at = bare((at.shape as Readonly<Record<PropertyKey, unknown>>)[part]);
    else if (at instanceof z.ZodArray) at = bare(at.element);
    else if (at instanceof z.ZodRecord) at = bare(at.valueType);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** Names that must agree within a config: sources are told apart by name, roles name providers, and providers serve roles. */
function checkReferences(config: Config, file: string): void {
  const names = config.sources.map((source) => source.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new CliError(`${file}: two sources are named ${twice}. Give each a name of its own, then type the command again.`, EXIT.usage);
  for (const { name, adapter, licence, domain, columns } of config.sources) {
    const missing = [
      ...(licence === undefined || licence.trim() === '' ? ["licence: 'CC0-1.0'"] : []),
      ...(domain === undefined ? ["domain: 'general'"] : []),
      ...(columns === undefined ? ["columns: { question: 'ask', answer: 'reply' }"] : []),
    ];
    if (adapter === 'custom' && missing.length > 0)
      throw new CliError(
        `${file}: source ${name} is custom, so its entry must say what nobody else knows; add ${missing.join(', ')} with your own values (licence is an SPDX identifier or 'unknown'), then type the command again.`,
        EXIT.usage,
      );
  }
  const providers = Object.keys(config.providers ?? {});
  if (providers.length > 0 && config.models === undefined)
    throw new CliError(
      `${file}: providers are given but no models, so nothing would ask them. Add models (builder, reviewerA, reviewerB), or take providers out to rehearse.`,
      EXIT.usage,
    );
  for (const [role, { provider }] of Object.entries(config.models ?? {}).flatMap(([name, model]) =>
    model === undefined ? [] : [[name, model] as const],
  )) {
    if (providers.includes(provider)) continue;
    const nearest = nearestName(provider, providers);
    throw new CliError(
      `${file}: models.${role}.provider names ${provider}, which providers does not have${nearest === null ? '' : `; did you mean ${nearest}?`} Correct it, then type the command again.`,
      EXIT.usage,
    );
  }
}

/** Checks a config value; a wrong field is named with the nearest valid one. */
export function checkConfig(value: unknown, file: string): Config {
  const parsed = Config.safeParse(value);
  if (parsed.success) {
    checkReferences(parsed.data, file);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const where = issue?.path.map(String).join('.') ?? '';
  if (issue?.code === 'unrecognized_keys') {
    const wrong = issue.keys[0] ?? '';
    const nearest = nearestName(wrong, knownNames(issue.path));
    const full = [...issue.path.map(String), wrong].join('.');
    throw new CliError(
      `${file}: there is no field ${full}${nearest === null ? '' : `; did you mean ${nearest}?`} Correct it, then type the command again.`,
      EXIT.usage,
    );
  }
  throw new CliError(
    `${file}: field ${where === '' ? '(the whole config)' : where} is wrong: ${issue?.message ?? 'not valid'}. Correct it, then type the command again.`,
    EXIT.usage,
  );
}
