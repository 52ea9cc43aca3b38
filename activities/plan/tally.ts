import { costMicroUsd } from '../../llm/prices.ts';
import type { StepId } from '../../schemas/steps.ts';
import { MOST_PARTS, mostCallsPerPart } from '../../stages/plan/bounds.ts';
import { MAX_SAMPLES } from '../ask-part.ts';
import type { CallCost, StepMeasure } from './measures.ts';
import type { StepLine } from './plan.ts';
import type { DomainPlan, PlannedCandidate } from './walk-domain.ts';

interface Counts {
  reused: number;
  free: number;
  runs: number;
  mayRun: number;
  expectedRuns: number;
  fewestRuns: number;
  mostRuns: number;
  isMeasured: boolean;
  lower: number;
  expected: number;
  upper: number;
  refill: number;
}

/** Calls of the first step that must ask: each of its parts at most, however many of them have a stored first reply. */
function firstUpper({ plan }: PlannedCandidate, step: StepId): number {
  const parts = step === 'hard-distractor' ? MOST_PARTS[step] : plan.parts;
  return parts * mostCallsPerPart(step, plan.samples);
}

function addFirst(counts: Counts, item: PlannedCandidate, step: StepId, measured: StepMeasure | undefined, lowerKeys: Set<string>): void {
  const { plan, isCertain, isExpected } = item;
  const most = firstUpper(item, step);
  if (!isExpected) {
    counts.refill += most;
    return;
  }
  counts.runs += 1;
  counts.upper += most;
  const likely = step === 'hard-distractor' ? (measured?.callsPerCandidate ?? 1) : plan.calls.length * (measured?.callsPerFirst ?? 1);
  counts.expected += Math.min(most, Math.max(plan.calls.length, likely));
  if (!isCertain) return;
  for (const { key } of plan.calls) {
    if (key !== null && lowerKeys.has(key)) continue;
    if (key !== null) lowerKeys.add(key);
    counts.lower += 1;
  }
}

function addLater(counts: Counts, item: PlannedCandidate, step: StepId, measured: StepMeasure | undefined): void {
  const { plan, expectation, isExpected } = item;
  const most = (plan.laterParts.get(step) ?? MOST_PARTS[step]) * mostCallsPerPart(step, MAX_SAMPLES);
  if (!isExpected) {
    counts.refill += most;
    return;
  }
  const chance = expectation?.runs.get(step) ?? 1;
  counts.mayRun += 1;
  counts.upper += most;
  counts.expectedRuns += chance;
  counts.fewestRuns += item.range?.low.runs.get(step) ?? chance;
  counts.mostRuns += item.range?.high.runs.get(step) ?? chance;
  counts.isMeasured ||= item.range !== null;
  counts.expected += Math.min(most, chance * (measured?.callsPerCandidate ?? 1));
}

function countStep(domains: readonly DomainPlan[], step: StepId, measured: StepMeasure | undefined): Counts {
  const counts: Counts = {
    reused: 0,
    free: 0,
    runs: 0,
    mayRun: 0,
    expectedRuns: 0,
    fewestRuns: 0,
    mostRuns: 0,
    isMeasured: false,
    lower: 0,
    expected: 0,
    upper: 0,
    refill: 0,
  };
  const lowerKeys = new Set<string>();
  for (const { candidates, beyond } of domains) {
    counts.refill += beyond * MOST_PARTS[step] * mostCallsPerPart(step, MAX_SAMPLES);
    for (const item of candidates) {
      const need = item.plan.needs.get(step);
      if (need === 'runs') addFirst(counts, item, step, measured, lowerKeys);
      else if (need === 'mayRun') addLater(counts, item, step, measured);
      else if (item.isExpected && need === 'reused') counts.reused += 1;
      else if (item.isExpected && need === 'free') counts.free += 1;
    }
  }
  return counts;
}

interface PerCall {
  readonly mean: number;
  readonly deviation: number;
  readonly least: number;
  readonly most: number;
  readonly measured: number;
}

/** Micro-USD of one logical call; null without a price. */
function perCall({ price, input, output, measuredCalls }: CallCost): PerCall | null {
  if (price === null) return null;
  const cost = (fresh: number, out: number): number => costMicroUsd(price, { freshInput: fresh, cachedInput: 0, output: out }) ?? 0;
  const cheapest = Math.min(price.inputPerMillionUsd, price.cachedInputPerMillionUsd ?? price.inputPerMillionUsd);
  return {
    mean: input.mean * price.inputPerMillionUsd + output.mean * price.outputPerMillionUsd,
    deviation: Math.hypot(input.deviation * price.inputPerMillionUsd, output.deviation * price.outputPerMillionUsd),
    least: Math.floor(input.min * cheapest + output.min * price.outputPerMillionUsd),
    most: cost(input.most, output.most),
    measured: measuredCalls,
  };
}

/** The cost of calls that fall evenly on the roles of a step; spread = chance of each call and error of the measured mean. */
function moneyOf(counts: Counts, costs: readonly CallCost[]): StepLine['money'] {
  const each = costs.map(perCall);
  if (each.some((item) => item === null) && counts.upper + counts.refill > 0) return null;
  const known = each.filter((item) => item !== null);
  const share = 1 / Math.max(1, known.length);
  let [expected, variance] = [0, 0];
  for (const { mean, deviation, measured } of known) {
    const calls = counts.expected * share;
    expected += calls * mean;
    variance += deviation * deviation * calls * (1 + calls / Math.max(1, measured));
  }
  const spread = 2 * Math.sqrt(variance);
  const least = Math.min(...known.map((item) => item.least), Number.MAX_SAFE_INTEGER);
  const most = Math.max(...known.map((item) => item.most), 0);
  return {
    lower: counts.lower * (known.length === 0 ? 0 : least),
    low: Math.max(0, Math.round(expected - spread)),
    expected: Math.round(expected),
    high: Math.round(expected + spread),
    upper: counts.upper * most,
    refillUpper: counts.refill * most,
  };
}

/** Counts one step over all domains: candidates, calls between their bounds, tokens and money. */
export function stepLine(domains: readonly DomainPlan[], step: StepId, measured: StepMeasure | undefined): StepLine {
  const counts = countStep(domains, step, measured);
  const costs = measured?.costs ?? [];
  const mean = (pick: (cost: CallCost) => number): number => costs.reduce((sum, cost) => sum + pick(cost), 0) / Math.max(1, costs.length);
  return {
    step,
    reused: counts.reused,
    free: counts.free,
    runs: counts.runs,
    mayRun: counts.mayRun,
    expectedRuns: Math.round(counts.expectedRuns),
    expectedRange: counts.isMeasured
      ? {
          low: Math.round(Math.min(counts.fewestRuns, counts.expectedRuns)),
          high: Math.round(Math.max(counts.mostRuns, counts.expectedRuns)),
        }
      : null,
    cutOff: measured?.cutOff ?? { changeRate: 1, low: 0, high: 1, redone: 0, of: 'nothing yet' },
    calls: { lower: counts.lower, expected: Math.round(counts.expected), upper: counts.upper },
    refillCalls: counts.refill,
    tokens: {
      input: Math.round(counts.expected * mean((cost) => cost.input.mean)),
      output: Math.round(counts.expected * mean((cost) => cost.output.mean)),
      measuredCalls: costs.reduce((sum, cost) => sum + cost.measuredCalls, 0),
    },
    money: moneyOf(counts, costs),
  };
}
