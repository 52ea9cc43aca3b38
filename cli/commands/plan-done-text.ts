import type { PlanDone } from '../queries/plan-done.ts';
import { dollars, table } from './table.ts';

/**
 * Planned, done, paid and cut off side by side. Cut off are candidates the plan said may run a step and that kept their verdict there,
 * because what the step reads came out the same.
 */
export function planDoneText({ plan, work }: PlanDone): string {
  const rows = plan.steps.map((line) => {
    const done = work.find((item) => item.step === line.step);
    const { lower, expected, upper } = line.calls;
    const cut = line.mayRun === 0 ? 0 : Math.max(0, (done?.reused ?? 0) - line.reused);
    return [
      line.step,
      `${expected} (${lower}-${upper})`,
      done?.keys ?? 0,
      (done?.attempts ?? 0) - (done?.keys ?? 0),
      done?.made ?? 0,
      cut,
      done === undefined || done.attempts === 0 ? '' : dollars(done.microUsd, done.unknownCost),
    ];
  });
  return table(['step', 'planned calls', 'calls', 'asked again', 'decided', 'cut off', 'paid'], rows);
}
