import { canonicalJson } from '../../schemas/hash.ts';
import { CONFIG_FIELDS } from '../../schemas/config-classes.ts';
import type { Decides, FieldClass } from '../../schemas/config-classes.ts';
import type { Config } from '../../schemas/config.ts';

/** A config field whose value changed, with what that decides. */
export interface FieldChange {
  /** As a person writes it: `models.builder.temperature`, `sources.demo.licence`. */
  readonly path: string;
  readonly class: FieldClass;
  readonly decides: Decides;
  readonly before: string;
  readonly now: string;
}

interface Leaf {
  readonly rule: string;
  readonly value: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Path in the table of fields: names a user chooses become `*`. */
function ruleOf(path: readonly string[]): string {
  const named = new Set(['sources', 'providers', 'models', 'prices']);
  const stars = path.map((part, index) => (index === 1 && named.has(path[0] ?? '') ? '*' : part));
  const joined = stars.join('.');
  return Object.hasOwn(CONFIG_FIELDS, joined) ? joined : `${joined}.*`;
}

function leavesOf(value: unknown, path: readonly string[], into: Map<string, Leaf>): void {
  const rule = ruleOf(path);
  if (isObject(value) && !Object.hasOwn(CONFIG_FIELDS, rule)) {
    for (const [name, inner] of Object.entries(value)) leavesOf(inner, [...path, name], into);
    return;
  }
  if (value !== undefined) into.set(path.join('.'), { rule, value: canonicalJson(value) });
}

/** Leaves of a config by path; sources by their names, so that their order does not matter. */
function flatten(config: Config): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const { sources, ...rest } = config;
  leavesOf(rest, [], leaves);
  for (const source of sources) leavesOf(source, ['sources', source.name], leaves);
  return leaves;
}

/** Every field that differs between two configs; absent values read `-`. */
export function configChanges(before: Config, now: Config): readonly FieldChange[] {
  const [old, fresh] = [flatten(before), flatten(now)];
  const changes: FieldChange[] = [];
  for (const path of new Set([...old.keys(), ...fresh.keys()])) {
    const [a, b] = [old.get(path), fresh.get(path)];
    if (a?.value === b?.value) continue;
    const rule = CONFIG_FIELDS[a?.rule ?? b?.rule ?? ''] ?? { class: 'semantic' as const, decides: 'order' as const };
    changes.push({ path, class: rule.class, decides: rule.decides, before: a?.value ?? '-', now: b?.value ?? '-' });
  }
  return changes;
}
