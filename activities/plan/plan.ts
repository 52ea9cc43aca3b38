import type { Domain } from '../../schemas/levels.ts';
import type { StepId } from '../../schemas/steps.ts';

/** A number between bounds: at least `lower`, most likely `expected`, at most `upper`. */
export interface Range {
  readonly lower: number;
  readonly expected: number;
  readonly upper: number;
}

/** One step of a plan, counted in candidates and logical calls. */
export interface StepLine {
  readonly step: StepId;
  /** Verdicts that stand, those decided anew from stored replies, the first ones that must ask, and those that may follow them. */
  readonly reused: number;
  readonly free: number;
  readonly runs: number;
  readonly mayRun: number;
  /** Of those that may run, how many are expected to after cut-off, and how that is known. */
  readonly expectedRuns: number;
  /** The same when every rate of change stands at the low or high end of its interval; null where nothing was measured on a sample. */
  readonly expectedRange: { readonly low: number; readonly high: number } | null;
  /** How often its output changes when it is decided again, the Wilson interval at 95 % of that share, and what it was seen on. */
  readonly cutOff: {
    readonly changeRate: number;
    readonly low: number;
    readonly high: number;
    readonly redone: number;
    readonly of: 'a sample' | 'this edit' | 'earlier edits' | 'nothing yet';
  };
  readonly calls: Range;
  /** Calls for candidates beyond those expected, if everything before them were rejected. */
  readonly refillCalls: number;
  readonly tokens: { readonly input: number; readonly output: number; readonly measuredCalls: number };
  /** Micro-USD; null where a price is unknown. `low` and `high` hold the expected cost between twice its standard error. */
  readonly money: (Range & { readonly low: number; readonly high: number; readonly refillUpper: number }) | null;
}

/** Why something is to be done, or that a change does nothing. */
export interface Reason {
  readonly kind: 'step' | 'order' | 'fold' | 'export' | 'code' | 'unfinished' | 'first' | 'nothing';
  readonly step: StepId | null;
  readonly text: string;
}

/** How a domain stands and what it will use. */
export interface DomainLine {
  readonly domain: Domain;
  readonly wanted: number;
  /** Candidates with a final verdict under this pipeline, with a verdict that follows at no call, and that must ask. */
  readonly done: number;
  readonly settled: number;
  readonly toAsk: number;
  readonly refills: number;
  /** Accepted examples behind the cut-off before, and how many of them come in. */
  readonly reserve: number;
  readonly reserveUsed: number;
  readonly blocked: number;
}

/** What a plan rests on: when any of it moves, the plan no longer holds. */
export interface PlanWorld {
  readonly pipelineHash: string;
  readonly orderId: string;
  readonly steps: Readonly<Partial<Record<StepId, string>>>;
  readonly target: Readonly<Record<Domain, number>>;
  readonly quotas: Readonly<Record<string, number>>;
  /** Hash of the candidates and the steps they must run: it moves when work was done meanwhile. */
  readonly work: string;
}

/** Everything `memcalib plan` says. */
export interface Plan {
  readonly format: 'memcalib-plan-1';
  readonly label: string;
  readonly madeAt: number;
  readonly verdict: 'nothing' | 'work' | 'over_budget';
  readonly world: PlanWorld;
  readonly comparedWith: { readonly runId: string; readonly pipelineHash: string } | null;
  readonly reasons: readonly Reason[];
  readonly domains: readonly DomainLine[];
  readonly steps: readonly StepLine[];
  readonly calls: Range & { readonly refill: number };
  readonly money: StepLine['money'];
  /** Models whose price is unknown: then money is null, never zero. */
  readonly unpriced: readonly string[];
  readonly timeMs: number | null;
  readonly overBudget: readonly { readonly cap: string; readonly capMicroUsd: number; readonly expectedMicroUsd: number }[];
  readonly stale: { readonly waivers: number; readonly releases: number };
  /** Rows of this edit that were asked beforehand (`plan --sample`); null without any. */
  readonly sample: { readonly rows: number } | null;
  /** Notes on what could not be known without asking. */
  readonly notes: readonly string[];
}
