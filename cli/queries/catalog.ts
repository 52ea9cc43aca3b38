import type { Store } from '../../store/port.ts';
import { readCall, readCalls, readCost, readFixture } from './calls.ts';
import { readDiff } from './diff.ts';
import type { DiffArgs, DiffReport } from './diff.ts';
import { exportRelease } from './export-release.ts';
import { readExample } from './example.ts';
import { readHistory } from './history.ts';
import { readStats } from './stats.ts';
import { readWhy } from './why.ts';
import { readPlanDone } from './plan-done.ts';
import { readPlan } from './plan.ts';
import { readShortfall } from './shortfall.ts';
import { readStatus } from './status.ts';

/** Read-only questions to a project; the owner answers them over its API, a command without an owner from the store. */
export const QUERIES = {
  status: (store: Store, args: { readonly label: string }) => readStatus(store, args.label),
  example: (store: Store, args: { readonly label: string; readonly id: string }) => readExample(store, args),
  why: readWhy,
  diff: readDiff as (store: Store, args: DiffArgs) => Promise<DiffReport>,
  stats: readStats,
  history: readHistory,
  calls: readCalls,
  call: readCall,
  fixture: readFixture,
  cost: readCost,
  export: exportRelease,
  plan: readPlan,
  planDone: readPlanDone,
  shortfall: readShortfall,
} as const;

export type QueryName = keyof typeof QUERIES;
export type QueryArgs<Name extends QueryName> = Parameters<(typeof QUERIES)[Name]>[1];
export type QueryResult<Name extends QueryName> = Awaited<ReturnType<(typeof QUERIES)[Name]>>;

/** Queries that also record something (a release, a plan), so that a command without an owner opens the store for writing. */
export const WRITING_QUERIES: ReadonlySet<QueryName> = new Set(['export', 'plan']);
