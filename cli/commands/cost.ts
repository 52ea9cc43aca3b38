import type { CostGroup } from '../../store/port.ts';
import { EXIT } from '../cli-error.ts';
import { query } from '../project.ts';
import type { CostReport } from '../queries/calls.ts';
import type { Invocation } from './catalog.ts';
import { configOf, isOn, labelOf, say, sayJson } from './options.ts';
import { count, dollars, table } from './table.ts';

type By = 'role' | 'step' | 'day' | 'runId';

type Sums = Omit<CostGroup, By>;

function add(a: Sums, b: Sums): Sums {
  return {
    calls: a.calls + b.calls,
    microUsd: a.microUsd + b.microUsd,
    unknownCalls: a.unknownCalls + b.unknownCalls,
    freshInput: a.freshInput + b.freshInput,
    cachedInput: a.cachedInput + b.cachedInput,
    output: a.output + b.output,
    repaidCalls: a.repaidCalls + b.repaidCalls,
    repaidMicroUsd: a.repaidMicroUsd + b.repaidMicroUsd,
  };
}

/** Sums of cost groups by one of their names, in order of first appearance. */
export function sumsBy(groups: readonly CostGroup[], by: By): ReadonlyMap<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const group of groups) {
    const known = sums.get(group[by]);
    sums.set(group[by], known === undefined ? group : add(known, group));
  }
  return sums;
}

function section(report: CostReport, by: By, name: string): string {
  return table(
    [name, 'calls', 'cost', 'fresh input', 'cached input', 'output', 'repaid'],
    [...sumsBy(report.groups, by)].map(([key, sum]) => [
      key,
      sum.calls,
      dollars(sum.microUsd, sum.unknownCalls),
      sum.freshInput,
      sum.cachedInput,
      sum.output,
      sum.repaidCalls === 0 ? '' : `${sum.repaidCalls} (${dollars(sum.repaidMicroUsd, 0)})`,
    ]),
  );
}

/** The cost of a project as a person reads it: tokens the provider served from its cache, answers reused and calls repaid stand apart. */
export function costText(report: CostReport): string {
  const { total, reused } = report;
  const unknown =
    total.unknownCalls === 0
      ? ''
      : `; nobody knows the cost of ${count(total.unknownCalls, 'call')}, so every sum over them is a lower bound`;
  const saved =
    reused === null || reused.calls === 0
      ? 'No answer of an earlier run is used.'
      : `${count(reused.calls, 'answer')} of earlier runs ${reused.calls === 1 ? 'is' : 'are'} used and not paid again (worth ${dollars(reused.microUsd, 0)}).`;
  return [
    section(report, 'role', 'role'),
    section(report, 'step', 'step'),
    section(report, 'day', 'day (UTC)'),
    section(report, 'runId', 'run'),
    `${count(total.calls, 'call')}, ${dollars(total.microUsd, total.unknownCalls)}${unknown}. ${saved}`,
  ].join('\n\n');
}

/** `memcalib cost`: what was spent by role, step, day and run. */
export async function runCost(invocation: Invocation): Promise<number> {
  const report = await query(await configOf(invocation), 'cost', { label: labelOf(invocation) });
  if (isOn(invocation, 'json')) sayJson(report);
  else say(costText(report));
  return EXIT.ok;
}
