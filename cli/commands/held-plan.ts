import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Plan, PlanWorld } from '../../activities/plan/plan.ts';
import { CliError, EXIT } from '../cli-error.ts';

const HeldPlan = z.object({
  format: z.literal('memcalib-plan-1'),
  label: z.string(),
  world: z.object({
    pipelineHash: z.string(),
    orderId: z.string(),
    steps: z.record(z.string(), z.string()),
    target: z.record(z.string(), z.number()),
    quotas: z.record(z.string(), z.number()),
    work: z.string(),
  }),
});

/** A plan read back from a file: what it rests on. */
export type HeldPlan = z.infer<typeof HeldPlan>;

/** Reads a plan written by `plan --out`. */
export function readHeldPlan(file: string): HeldPlan {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CliError(`${file} could not be read as a plan. Type \`memcalib plan --out ${file}\` to write one.`, EXIT.usage, {
      cause: error,
    });
  }
  const parsed = HeldPlan.safeParse(value);
  if (!parsed.success)
    throw new CliError(
      `${file} is no plan of this MemCalib (${parsed.error.issues[0]?.path.join('.') ?? ''}). Type \`memcalib plan --out ${file}\` to write one.`,
      EXIT.usage,
    );
  return parsed.data;
}

function differing(before: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name]);
}

/** What moved between a plan and the world as it is; empty when the plan still holds. */
export function whatMoved(before: HeldPlan['world'], now: PlanWorld): readonly string[] {
  const steps = differing(before.steps, now.steps).map((step) => `step ${step} has another version`);
  const targets = differing(before.target, now.target).map((domain) => `target.${domain} is another`);
  const quotas = differing(before.quotas, now.quotas).map((source) => `the quota of ${source} is another`);
  const order =
    before.orderId === now.orderId ? [] : ['the candidates or their order are others (a source, screening or the seed changed)'];
  const hash = steps.length > 0 || before.pipelineHash === now.pipelineHash ? [] : ['seed or plan tables changed'];
  const moved = [...steps, ...hash, ...order, ...targets, ...quotas];
  return moved.length > 0 || before.work === now.work ? moved : ['work was done since: other verdicts or replies are stored'];
}

/** Refuses to go on with a plan that no longer holds. */
export function checkHeld(held: HeldPlan, now: Plan, file: string): void {
  if (held.label !== now.label)
    throw new CliError(`${file} is a plan of the label ${held.label}, not of ${now.label}. Name that one with --label.`, EXIT.usage);
  const moved = whatMoved(held.world, now.world);
  if (moved.length === 0) return;
  throw new CliError(
    `The world moved since ${file} was written: ${moved.join('; ')}. Nothing was started; type \`memcalib plan --out ${file}\` to see what is to be done now.`,
    EXIT.usage,
  );
}
