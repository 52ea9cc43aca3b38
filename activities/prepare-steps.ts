import { responseFormatFor } from '../llm/structured-output.ts';
import { hashOf } from '../schemas/hash.ts';
import type { Config, ModelConfig } from '../schemas/config.ts';
import type { ResponseFormat } from '../schemas/ledger.ts';
import type { RunSpec } from '../schemas/run-spec.ts';
import { ROLES, STEPS } from '../schemas/steps.ts';
import type { CallRole, Role, StepId } from '../schemas/steps.ts';
import { STEP_DEFINITIONS } from '../stages/catalog.ts';
import { PLAN_VERSION } from '../stages/block-plan-tables.ts';
import type { StepDefinition } from '../stages/step.ts';
import type { PreparedStep, RoleBinding } from './run-context.ts';

/** Structured-output mode per `provider/model`, probed once and fixed for the run (changing it is semantic). */
export type FormatModes = Readonly<Record<string, ResponseFormat['type']>>;

/** Names of the rehearsal model per role; the reviewers answer under names of their own. */
const REHEARSAL_MODEL: Readonly<Record<Role, string>> = { builder: 'rehearsal', reviewerA: 'rehearsal-a', reviewerB: 'rehearsal-b' };

/** How a role asks its model, as the config says. */
export function bindRole<Name extends CallRole>(role: Name, model: Omit<ModelConfig, 'mode' | 'batch'>): RoleBinding<Name> {
  const { provider, model: name, temperature, topP, seed, extra, maxTokensFactor } = model;
  return {
    role,
    provider,
    model: name,
    maxTokensFactor,
    sampling: {
      temperature,
      ...(topP !== undefined && { topP }),
      ...(seed !== undefined && { seed }),
      ...(extra !== undefined && { extra }),
    },
  };
}

function rehearsalModel(role: Role): Omit<ModelConfig, 'mode' | 'batch'> {
  return { provider: 'rehearsal', model: REHEARSAL_MODEL[role], temperature: 0, seed: 0, maxTokensFactor: 1 };
}

/** The roles of a run; without configured models the rehearsal model answers, reviewers under names of their own. */
export function bindRoles(spec: RunSpec): Readonly<Record<Role, RoleBinding>> {
  const models = spec.config.models;
  const bind = (role: Role): RoleBinding => bindRole(role, models === undefined ? rehearsalModel(role) : models[role]);
  return { builder: bind('builder'), reviewerA: bind('reviewerA'), reviewerB: bind('reviewerB') };
}

/** The judge of answers at temperature 0 unless its own entry says otherwise: its own model, else the builder's, else the rehearsal model. */
export function bindJudge(config: Config): RoleBinding<'judge'> {
  const { models } = config;
  if (models === undefined) return bindRole('judge', rehearsalModel('builder'));
  return bindRole('judge', models.judge ?? { ...models.builder, temperature: 0 });
}

function rolesOf(step: StepDefinition): readonly Role[] {
  return step.stage === 'quality' ? ROLES.filter((role) => role !== 'builder') : ['builder'];
}

function prepare(definition: StepDefinition, spec: RunSpec, roles: Readonly<Record<Role, RoleBinding>>, modes: FormatModes): PreparedStep {
  const { instructions, maxTokens } = spec.prompts[definition.id];
  const formats = new Map(
    rolesOf(definition).map((role) => {
      const { provider, model } = roles[role];
      const mode = modes[`${provider}/${model}`] ?? 'json_schema';
      return [
        role,
        responseFormatFor(mode, definition.id, definition.replySchema, spec.config.providers?.[provider]?.schemaBounds),
      ] as const;
    }),
  );
  const sent = rolesOf(definition).map((role) => {
    const { provider, model, sampling } = roles[role];
    return { role, provider, model, sampling, ...formats.get(role) };
  });
  return {
    definition,
    version: hashOf({ step: definition.id, instructions, checkNumber: definition.checkNumber, sent }),
    instructions,
    maxTokens,
    sent,
    bindingOf: (partId) => (definition.stage !== 'quality' ? roles.builder : partId === 'reviewerB' ? roles.reviewerB : roles.reviewerA),
    formatOf: ({ role }) => {
      const format = formats.get(role);
      if (format === undefined) throw new Error(`step ${definition.id} has no role ${role}`);
      return format;
    },
  };
}

/** Every step of the catalog made ready, with its version: the hash of what is sent besides the inputs (DESIGN §5). */
export function prepareSteps(spec: RunSpec, modes: FormatModes): ReadonlyMap<StepId, PreparedStep> {
  const roles = bindRoles(spec);
  return new Map(STEPS.map((id) => [id, prepare(STEP_DEFINITIONS[id], spec, roles, modes)]));
}

/** Names everything that decides an example besides its source row: step versions, plan tables and seed. */
export function pipelineHash(spec: RunSpec, steps: ReadonlyMap<StepId, PreparedStep>): string {
  return hashOf({
    steps: [...steps.values()].map((step) => [step.definition.id, step.version]),
    plan: PLAN_VERSION,
    seed: spec.config.seed,
  });
}
