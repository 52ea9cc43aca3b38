import { bindRoles } from '../../activities/prepare-steps.ts';
import type { FormatModes } from '../../activities/prepare-steps.ts';
import { explainCandidate } from '../../activities/plan/explain.ts';
import type { Explanation } from '../../activities/plan/explain.ts';
import { makePlan } from '../../activities/plan/make-plan.ts';
import type { PlannedBuild } from '../../activities/plan/make-plan.ts';
import type { Plan } from '../../activities/plan/plan.ts';
import { orderNotes } from '../../activities/plan/order-notes.ts';
import { openWorld } from '../../activities/plan/world.ts';
import type { World } from '../../activities/plan/world.ts';
import type { EndpointFacts } from '../../llm/probe.ts';
import { ROLES } from '../../schemas/steps.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import type { ResponseFormat } from '../../schemas/ledger.ts';
import type { Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { endpointFact } from '../endpoint-fact.ts';

/** What would be built. */
export type PlanSpec = Omit<RunSpec, 'runId' | 'startedAt'>;

export interface PlanArgs {
  readonly spec: PlanSpec;
  readonly restratify: boolean;
  /** One candidate to explain, or null. */
  readonly explain: string | null;
}

export interface PlanReport {
  readonly plan: Plan;
  readonly explanation: Explanation | null;
}

/** Where the latest plan of a label lies. */
export function planFact(label: string): string {
  return `plan:${label}`;
}

/** The structured-output modes a build would use, as far as they are known without asking: configured, or probed by an earlier build. */
async function knownModes(store: Store, spec: PlanSpec): Promise<{ readonly modes: FormatModes; readonly notes: readonly string[] }> {
  const roles = bindRoles({ ...spec, runId: 'plan', startedAt: 0 });
  const modes: Record<string, ResponseFormat['type']> = {};
  const notes: string[] = [];
  for (const role of ROLES) {
    const { provider, model } = roles[role];
    const name = `${provider}/${model}`;
    if (modes[name] !== undefined) continue;
    const configured = spec.config.providers?.[provider]?.structuredOutput ?? 'json_schema';
    const probed = configured === 'auto' ? await store.fact(endpointFact(provider, model)) : null;
    const found = probed === null ? null : (JSON.parse(probed) as EndpointFacts).structuredOutput;
    modes[name] = configured === 'auto' ? (found ?? 'json_schema') : configured;
    if (configured === 'auto' && found === null)
      notes.push(
        `${name} was never probed for structured output; the plan takes json_schema, and the build will ask it in a few small calls`,
      );
  }
  return { modes, notes };
}

/** A plan with the world it was made in. */
export type OpenedPlan = PlannedBuild & { readonly world: World };

/** The world a build that starts now would find. */
export async function openPlanWorld(
  store: Store,
  spec: PlanSpec,
  restratify: boolean,
): Promise<{ readonly world: World; readonly notes: readonly string[] }> {
  const { modes, notes } = await knownModes(store, spec);
  return { world: await openWorld({ store, clock: Date.now }, spec, modes, { restratify }), notes };
}

/** Looks at the world and computes the plan of a build that would start now; asks no model. */
export async function openPlan(store: Store, spec: PlanSpec, restratify: boolean): Promise<OpenedPlan> {
  const { world, notes } = await openPlanWorld(store, spec, restratify);
  return { world, ...(await makePlan(world, Date.now, [...notes, ...orderNotes(world)])) };
}

/** Computes and stores the plan of a build that would start now; asks no model. */
export async function readPlan(store: Store, args: PlanArgs): Promise<PlanReport> {
  const { spec } = args;
  const { world, plan, domains, measures } = await openPlan(store, spec, args.restratify);
  await store.putFact(planFact(spec.label), JSON.stringify(plan));
  if (args.explain === null) return { plan, explanation: null };
  const explanation = await explainCandidate(world, domains, measures, args.explain);
  if (explanation === null)
    throw new CliError(
      `The sources hold no candidate ${args.explain}: ids are the 16 hexadecimal digits in train.jsonl, test.jsonl and rejected.jsonl.`,
      EXIT.usage,
    );
  return { plan, explanation };
}
