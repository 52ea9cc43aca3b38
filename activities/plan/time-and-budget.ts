import type { StepId } from '../../schemas/steps.ts';
import type { StepMeasure } from './measures.ts';
import type { Plan, StepLine } from './plan.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Concurrency of the rehearsal model, which no config names. */
const REHEARSAL_CONCURRENCY = 64;

interface Load {
  calls: number;
  busyMs: number;
  tokens: number;
}

function loadsByProvider(steps: readonly StepLine[], measures: ReadonlyMap<StepId, StepMeasure>): ReadonlyMap<string, Load> | null {
  const loads = new Map<string, Load>();
  for (const { step, calls } of steps) {
    const costs = measures.get(step)?.costs ?? [];
    for (const { provider, latencyMs, input, output } of costs) {
      const share = calls.expected / costs.length;
      if (share === 0) continue;
      if (latencyMs === null) return null;
      const load = loads.get(provider) ?? { calls: 0, busyMs: 0, tokens: 0 };
      load.calls += share;
      load.busyMs += share * latencyMs;
      load.tokens += share * (input.mean + output.mean);
      loads.set(provider, load);
    }
  }
  return loads;
}

/** How long the expected calls take at the limits of each provider, the slowest of them; null when no call of a step was ever timed. */
export function timeAtLimits(world: World, steps: readonly StepLine[], measures: ReadonlyMap<StepId, StepMeasure>): number | null {
  const loads = loadsByProvider(steps, measures);
  if (loads === null) return null;
  const times = [...loads].map(([name, { calls, busyMs, tokens }]) => {
    const provider = world.spec.config.providers?.[name];
    return Math.max(
      busyMs / (provider?.concurrency ?? REHEARSAL_CONCURRENCY),
      provider?.requestsPerMinute === undefined ? 0 : (calls / provider.requestsPerMinute) * MINUTE_MS,
      provider?.tokensPerMinute === undefined ? 0 : (tokens / provider.tokensPerMinute) * MINUTE_MS,
      provider?.requestsPerDay === undefined || calls <= provider.requestsPerDay ? 0 : Math.floor(calls / provider.requestsPerDay) * DAY_MS,
    );
  });
  return Math.round(Math.max(0, ...times));
}

/** Caps that the expected cost goes beyond; a day's cap counts what was spent today. Nothing is said while a price is unknown. */
export async function overBudgets(
  world: World,
  steps: readonly StepLine[],
  money: Plan['money'],
  nowMs: number,
): Promise<Plan['overBudget']> {
  const { perRunUsd, perDayUsd, perStepUsd } = world.spec.config.budget;
  const micro = (usd: number): number => Math.round(usd * 1_000_000);
  const over: Plan['overBudget'][number][] = [];
  const check = (cap: string, capUsd: number | undefined, expectedMicroUsd: number): void => {
    if (capUsd !== undefined && expectedMicroUsd > micro(capUsd)) over.push({ cap, capMicroUsd: micro(capUsd), expectedMicroUsd });
  };
  if (money !== null) {
    check('budget.perRunUsd', perRunUsd, money.expected);
    const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
    if (perDayUsd !== undefined) {
      const { microUsd } = await world.store.ledger.spent({ sinceMs: today });
      if (money.expected > 0) check('budget.perDayUsd', perDayUsd, microUsd + money.expected);
    }
  }
  for (const line of steps) if (line.money !== null) check(`budget.perStepUsd (${line.step})`, perStepUsd, line.money.expected);
  return over;
}
