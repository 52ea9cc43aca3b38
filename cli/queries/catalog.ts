import type { Store } from '../../store/port.ts';
type Query<Args, Result> = (store: Store, args: Args) => Promise<Result>;

/** Each question loads its own code: a command that asks one waits for no other. */
function lazily<Args, Result>(load: () => Promise<Query<Args, Result>>): Query<Args, Result> {
  return async (store, args) => (await load())(store, args);
}

/** Read-only questions to a project; the owner answers them over its API, a command without an owner from the store. */
export const QUERIES = {
  status: async (store: Store, { label }: { readonly label: string }) => (await import('./status.ts')).readStatus(store, label),
  example: lazily(async () => (await import('./example.ts')).readExample),
  why: lazily(async () => (await import('./why.ts')).readWhy),
  diff: lazily(async () => (await import('./diff.ts')).readDiff),
  stats: lazily(async () => (await import('./stats.ts')).readStats),
  history: lazily(async () => (await import('./history.ts')).readHistory),
  calls: lazily(async () => (await import('./calls.ts')).readCalls),
  call: lazily(async () => (await import('./calls.ts')).readCall),
  fixture: lazily(async () => (await import('./calls.ts')).readFixture),
  cost: lazily(async () => (await import('./calls.ts')).readCost),
  export: lazily(async () => (await import('./export-release.ts')).exportRelease),
  plan: lazily(async () => (await import('./plan.ts')).readPlan),
  planDone: lazily(async () => (await import('./plan-done.ts')).readPlanDone),
  shortfall: lazily(async () => (await import('./shortfall.ts')).readShortfall),
} as const;

export type QueryName = keyof typeof QUERIES;
export type QueryArgs<Name extends QueryName> = Parameters<(typeof QUERIES)[Name]>[1];
export type QueryResult<Name extends QueryName> = Awaited<ReturnType<(typeof QUERIES)[Name]>>;

/** Queries that also record something (a release, a plan), so that a command without an owner opens the store for writing. */
export const WRITING_QUERIES: ReadonlySet<QueryName> = new Set(['export', 'plan']);
