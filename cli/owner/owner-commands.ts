import { z } from 'zod';
import { Config } from '../../schemas/config.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import { STEPS } from '../../schemas/steps.ts';
import type { Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Plan } from '../../activities/plan/plan.ts';
import { QUERIES } from '../queries/catalog.ts';
import { runPlanFact } from '../queries/plan-done.ts';
import { settledState } from './builds.ts';
import type { Builds } from './builds.ts';
import type { Engine } from './engine.ts';
import { retryFailed, waiveFailed } from './failed-candidates.ts';
import type { ApiCommand } from './http-api.ts';
import { probeRoles } from './probe-roles.ts';

const LabelArgs = z.object({ label: z.string() });
const SpecArgs = z.object({
  spec: z.custom<Omit<RunSpec, 'runId' | 'startedAt'>>(
    (value) => typeof value === 'object' && value !== null && 'config' in value && 'prompts' in value,
  ),
});

const CallsArgs = z.object({
  filter: z.object({
    step: z.string().exactOptional(),
    class: z.string().exactOptional(),
    candidateId: z.string().exactOptional(),
    beforeCallNo: z.int().exactOptional(),
  }),
  limit: z.int(),
});

const ExportFlags = LabelArgs.extend({
  folder: z.string(),
  allowUnknownLicence: z.boolean(),
  partial: z.boolean(),
  allowMixed: z.boolean(),
});

const DiffSide = z.object({ name: z.string(), path: z.string() });
const DiffSides = z.object({ before: DiffSide, after: DiffSide, details: z.int().nonnegative() });

function parse<T>(schema: z.ZodType<T>, args: unknown): T {
  const parsed = schema.safeParse(args);
  if (!parsed.success)
    throw new CliError(
      `The command was sent with wrong arguments (${parsed.error.issues[0]?.path.join('.') ?? ''}). Are two versions of memcalib installed?`,
      EXIT.usage,
    );
  return parsed.data;
}

/** Everything the owner answers over its API. */
export function ownerCommands(deps: {
  readonly store: Store;
  /** Temporal and the builds on it, once they have started. */
  readonly work: Promise<{ readonly engine: Engine; readonly builds: Builds }>;
  readonly env: NodeJS.ProcessEnv;
  readonly stop: () => void;
}): Readonly<Record<string, ApiCommand>> {
  const { store, work } = deps;
  const onLabel =
    (work: (label: string) => Promise<unknown>): ApiCommand =>
    (args) =>
      work(parse(LabelArgs, args).label);
  return {
    ping: () => Promise.resolve({ ok: true, steps: STEPS.length }),
    stop: () => {
      deps.stop();
      return Promise.resolve(null);
    },
    'endpoints.probe': (args) => {
      const { config, all } = parse(z.object({ config: Config, all: z.boolean() }), args);
      return probeRoles(store, config, deps.env, all);
    },
    'build.start': async (args) => {
      const { spec, plan } = parse(SpecArgs.extend({ plan: z.custom<Plan>().nullish() }), args);
      const { builds } = await work;
      const state = await builds.start(spec);
      if (state.isNew && plan !== undefined && plan !== null) await store.putFact(runPlanFact(state.runId), JSON.stringify(plan));
      return state;
    },
    'build.state': onLabel(async (label) => {
      const settled = await settledState(store, label);
      return settled === undefined ? (await work).builds.state(label) : settled;
    }),
    'build.pause': onLabel(async (label) => (await work).builds.pause(label)),
    'build.resume': async (args) => {
      const { label, capUsd } = parse(LabelArgs.extend({ capUsd: z.number().positive().nullish() }), args);
      return (await work).builds.resume(label, capUsd ?? null);
    },
    'build.cancel': onLabel(async (label) => (await work).builds.cancel(label)),
    'build.retry': async (args) => retryFailed(store, (await work).engine, parse(LabelArgs.extend({ class: z.string().nullable() }), args)),
    'build.waive': async (args) => waiveFailed(store, (await work).engine, parse(LabelArgs, args)),
    'query.status': onLabel(async (label) => {
      // Writes down that a build has failed where its workflow could not.
      await (await work).builds.state(label);
      return QUERIES.status(store, { label });
    }),
    'query.example': (args) => QUERIES.example(store, parse(LabelArgs.extend({ id: z.string() }), args)),
    'query.why': (args) => QUERIES.why(store, parse(LabelArgs.extend({ id: z.string() }), args)),
    'query.diff': (args) => QUERIES.diff(store, parse(DiffSides, args)),
    'query.stats': onLabel((label) => QUERIES.stats(store, { label })),
    'query.history': (args) => QUERIES.history(store, parse(z.object({ label: z.string().nullable() }), args)),
    'query.calls': (args) => QUERIES.calls(store, parse(CallsArgs, args)),
    'query.call': (args) => QUERIES.call(store, parse(z.object({ id: z.string() }), args)),
    'query.fixture': (args) => QUERIES.fixture(store, parse(z.object({ id: z.string() }), args)),
    'query.shortfall': onLabel((label) => QUERIES.shortfall(store, { label })),
    'query.cost': onLabel((label) => QUERIES.cost(store, { label })),
    'query.plan': (args) => QUERIES.plan(store, parse(SpecArgs.extend({ restratify: z.boolean(), explain: z.string().nullable() }), args)),
    'query.planDone': onLabel((label) => QUERIES.planDone(store, { label })),
    'query.export': (args) => QUERIES.export(store, parse(ExportFlags, args)),
  };
}
