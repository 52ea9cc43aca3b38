import type { Explanation } from '../../activities/plan/explain.ts';
import type { Plan, StepLine } from '../../activities/plan/plan.ts';
import { count, grouped, table } from './table.ts';

/** A whole number with thousands set apart. */
export const whole = (n: number): string => grouped(Math.round(n));

/** An amount as a person reads it: more digits for small ones. */
export function usd(microUsd: number): string {
  const value = microUsd / 1_000_000;
  return `$${value >= 100 ? value.toFixed(0) : value >= 0.1 || value === 0 ? value.toFixed(2) : value.toFixed(4)}`;
}

function moneyCell(line: Pick<StepLine, 'money' | 'calls'>): string {
  if (line.money === null) return 'price unknown';
  return line.calls.expected === 0 ? '' : `${usd(line.money.low)}-${usd(line.money.high).slice(1)}`;
}

/** A duration a person would say: 40 s, 12 min, 2 h 10. */
export function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 100_000) return `${Math.max(1, Math.round(ms / 1000))} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
}

function cutOffCell({ cutOff, mayRun }: StepLine): string {
  if (mayRun === 0 && cutOff.of === 'nothing yet') return '';
  if (cutOff.of === 'nothing yet') return 'no edit seen yet';
  const percent = (share: number): string => `${Math.round(share * 100)}`;
  const seen = `${percent(cutOff.changeRate)} % of ${whole(cutOff.redone)}`;
  return cutOff.of === 'a sample' ? `${seen} sampled (${percent(cutOff.low)}-${percent(cutOff.high)} %)` : `${seen} (${cutOff.of})`;
}

function expectedCell({ runs, expectedRuns, expectedRange: range }: StepLine): string | number {
  return range === null ? runs + expectedRuns : `${runs + expectedRuns} (${runs + range.low}-${runs + range.high})`;
}

function stepsTable(plan: Plan): string {
  return table(
    ['step', 'reused', 'no call', 'runs', 'may run', 'expected', 'calls', 'tokens in/out', 'cost', 'output changed'],
    plan.steps.map((line) => [
      line.step,
      line.reused,
      line.free,
      line.runs,
      line.mayRun,
      expectedCell(line),
      `${whole(line.calls.expected)} (${whole(line.calls.lower)}-${whole(line.calls.upper)})`,
      line.calls.expected === 0
        ? ''
        : `${whole(line.tokens.input)}/${whole(line.tokens.output)}${line.tokens.measuredCalls === 0 ? ' est.' : ''}`,
      moneyCell(line),
      cutOffCell(line),
    ]),
  );
}

function costSentence(plan: Plan): string {
  const { calls, money, timeMs, unpriced } = plan;
  const asked = `About ${count(calls.expected, 'call')}: at least ${whole(calls.lower)}, at most ${whole(calls.upper)}${
    calls.refill === 0 ? '' : `, and up to ${whole(calls.refill)} more for refills if every row before them were rejected`
  }.`;
  const cost =
    money === null
      ? `The cost is unknown: there is no price for ${unpriced.join(', ')} (prices in the config).`
      : `Cost ${usd(money.low)} to ${usd(money.high)} (at least ${usd(money.lower)}, at most ${usd(money.upper)}).`;
  const time =
    timeMs === null
      ? 'How long it takes is unknown until calls of each step were timed.'
      : `About ${duration(timeMs)} at the limits of the config.`;
  return `${asked}\n${cost} ${time}`;
}

function domainsTable(plan: Plan): string {
  return table(
    ['domain', 'wanted', 'done', 'no call', 'to ask', 'refills at most', 'reserve', 'reserve used'],
    plan.domains.map((line) => [
      line.domain,
      line.wanted,
      line.done,
      line.settled,
      line.toAsk,
      line.refills,
      line.reserve,
      line.reserveUsed,
    ]),
  );
}

function staleLines({ stale, domains, overBudget, notes, sample, steps }: Plan): readonly string[] {
  const isMeasured = steps.some(({ cutOff }) => cutOff.of === 'a sample');
  const blocked = domains.reduce((sum, line) => sum + line.blocked, 0);
  return [
    ...(sample === null || !isMeasured
      ? []
      : [
          `What is expected after cut-off was measured: a sample of ${count(sample.rows, 'row')} of this edit was asked beforehand, and is reused. Ranges in the columns expected and output changed hold at 95 %.`,
        ]),
    ...(stale.waivers === 0
      ? []
      : [`${count(stale.waivers, 'waiver')} of the last pipeline no longer hold${stale.waivers === 1 ? 's' : ''}.`]),
    ...(stale.releases === 0 ? [] : [`${count(stale.releases, 'export')} of the last build will no longer be its newest data.`]),
    ...(blocked === 0
      ? []
      : [`${count(blocked, 'candidate')} failed or got no verdict: a build stops at them until retry --failed or waive --failed.`]),
    ...overBudget.map(
      ({ cap, capMicroUsd, expectedMicroUsd }) => `Over budget: ${cap} is ${usd(capMicroUsd)}, ${usd(expectedMicroUsd)} is expected.`,
    ),
    ...notes.map((note) => `Note: ${note}.`),
  ];
}

/** A plan as a person reads it: why, what, how much, how long, and what to type next. */
export function planText(plan: Plan): string {
  const reasons = plan.reasons.map(({ text }) => `  - ${text}`);
  const why =
    reasons.length === 0
      ? []
      : [`Since ${plan.comparedWith === null ? 'the beginning' : `run ${plan.comparedWith.runId}`}:`, ...reasons, ''];
  if (plan.verdict === 'nothing') {
    const drawn = plan.domains.filter((line) => line.reserveUsed > 0).map((line) => `${line.domain} ${line.reserveUsed}`);
    const reserve = drawn.length === 0 ? [] : [`The reserve fills what is wanted: ${drawn.join(', ')}.`];
    return [...why, 'Nothing to ask or decide: every verdict stands.', ...reserve, ...staleLines(plan)].join('\n');
  }
  return [...why, stepsTable(plan), '', domainsTable(plan), '', costSentence(plan), ...staleLines(plan), 'Next: memcalib build'].join('\n');
}

/** What a plan means for one candidate. */
export function explanationText(of: Explanation): string {
  const launched = {
    final: 'It has its verdict already.',
    certain: 'Every build that ends decides it.',
    expected: 'The build is expected to come to it.',
    refill: 'The build comes to it only if rows before it fall out.',
  }[of.launched];
  return [
    `${of.candidateId}: ${of.domain}, place ${of.position + 1}, ${of.source}; end ${of.end}. ${launched}`,
    table(
      ['step', 'need', 'why', 'calls'],
      of.steps.map(({ step, need, why, calls }) => [step, need === 'mayRun' ? 'may run' : need, why, calls.join(' ')]),
    ),
  ].join('\n');
}
