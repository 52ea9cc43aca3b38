import type { Plan } from '../../activities/plan/plan.ts';
import type { RunWork } from '../../store/planning-port.ts';
import type { Store } from '../../store/port.ts';
import { latestRunFact } from './latest-run.ts';

/** The plan a build began with and what it did of it. */
export interface PlanDone {
  readonly runId: string;
  readonly plan: Plan;
  readonly work: readonly RunWork[];
}

/** Where the plan of a run lies. */
export function runPlanFact(runId: string): string {
  return `run-plan:${runId}`;
}

/** Plan and work of the latest run of a label; null when it began without a plan. */
export async function readPlanDone(store: Store, args: { readonly label: string }): Promise<PlanDone | null> {
  const runId = await store.fact(latestRunFact(args.label));
  const text = runId === null ? null : await store.fact(runPlanFact(runId));
  if (runId === null || text === null) return null;
  return { runId, plan: JSON.parse(text) as Plan, work: await store.planning.runWork(runId) };
}
