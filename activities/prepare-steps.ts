import { replySchemaJson } from './reply-schema.ts';
import { hashOf } from '../schemas/hash.ts';
import type { ModelConfig } from '../schemas/config.ts';
import type { ResponseFormat } from '../schemas/ledger.ts';
import type { RunSpec } from '../schemas/run-spec.ts';
import { ROLES, STEPS } from '../schemas/steps.ts';
import type { Role, StepId } from '../schemas/steps.ts';
import { STEP_DEFINITIONS } from '../stages/catalog.ts';
import { PLAN_VERSION } from '../stages/block-plan-tables.ts';
import type { StepDefinition } from '../stages/step.ts';
import type { PreparedStep, RoleBinding } from './run-context.ts';

/** Structured-output mode per `provider/model`, probed once and fixed for the run (changing it is semantic). */
export type FormatModes = Readonly<Record<string, ResponseFormat['type']>>;

/** Names of the rehearsal model per role; the reviewers answer under names of their own. */
const REHEARSAL_MODEL: Readonly<Record<Role, string>> = { builder: 'rehearsal', reviewerA: 'rehearsal-a', reviewerB: 'rehearsal-b' };

function bindRole(role: Role, model: ModelConfig): RoleBinding {
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

/** The roles of a run; without configured models the rehearsal model answers, reviewers under names of their own. */
export function bindRoles(spec: RunSpec): Readonly<Record<Role, RoleBinding>> {
  const rehearsal = (role: Role): ModelConfig => ({
    provider: 'rehearsal',
    model: REHEARSAL_MODEL[role],
    temperature: 0,
    maxTokensFactor: 1,
  });
  const models = spec.config.models;
  const bind = (role: Role): RoleBinding => bindRole(role, models === undefined ? rehearsal(role) : models[role]);
  return { builder: bind('builder'), reviewerA: bind('reviewerA'), reviewerB: bind('reviewerB') };
}

function rolesOf(step: StepDefinition): readonly Role[] {
  return step.stage === 'quality' ? ROLES.filter((role) => role !== 'builder') : ['builder'];
}

function prepare(definition: StepDefinition, spec: RunSpec, roles: Readonly<Record<Role, RoleBinding>>, modes: FormatModes): PreparedStep {
  const { instructions, maxTokens } = spec.prompts[definition.id];
  const schema = replySchemaJson(definition.replySchema);
  const modeOf = (binding: RoleBinding): ResponseFormat['type'] => modes[`${binding.provider}/${binding.model}`] ?? 'json_schema';
  const bindings = rolesOf(definition).map((role) => roles[role]);
  const version = hashOf({
    step: definition.id,
    instructions,
    schema,
    checkNumber: definition.checkNumber,
    bindings: bindings.map(({ role, provider, model, sampling }, index) => ({
      role,
      provider,
      model,
      sampling,
      mode: modeOf(bindings[index] ?? roles[role]),
    })),
  });
  return {
    definition,
    version,
    instructions,
    maxTokens,
    bindingOf: (partId) => (definition.stage !== 'quality' ? roles.builder : partId === 'reviewerB' ? roles.reviewerB : roles.reviewerA),
    formatOf: (binding) => {
      const mode = modeOf(binding);
      const responseFormat: ResponseFormat =
        mode === 'json_schema' ? { type: mode, name: definition.id.replaceAll('-', '_'), schema } : { type: mode };
      return { responseFormat, schemaInPrompt: mode !== 'json_schema' };
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
