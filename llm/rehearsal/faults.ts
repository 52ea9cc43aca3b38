import { seededUniforms, sha256Hex } from '../../schemas/hash.ts';

/** Every fault the rehearsal server can show on the wire. */
export const FAULTS = [
  'rate_limited',
  'rate_limited_retry_after',
  'daily_quota',
  'no_credit',
  'server_error',
  'hang',
  'reset',
  'truncation',
  'fences',
  'think_tags',
  'reasoning_content',
  'blank',
  'prose',
  'wrong_ids',
  'missing_atoms',
  'invented_atoms',
  'duplicate_keys',
  'refusal',
  'content_filter',
  'error_in_200',
  'html',
  'lone_surrogate',
  'huge',
  'ignored_schema',
  'renamed_model',
  'clock_skew',
  'slow_drip',
] as const;
export type FaultName = (typeof FAULTS)[number];

/** When a fault strikes. Without `rate` and `calls` it strikes every request it may. */
export interface FaultRule {
  readonly fault: FaultName;
  /** Share of requests hit, drawn from the seed and the request; rates of the rules that may hit a request are laid end to end. */
  readonly rate?: number;
  /** 1-based numbers among the calls this rule may hit, in order of arrival. */
  readonly calls?: readonly number[];
  /** Steps it may hit; all when left out. */
  readonly tasks?: readonly string[];
  /** Models it may hit; all when left out. */
  readonly models?: readonly string[];
  /** How often it may hit one request (repeats and repair turns count together); 1 when left out. */
  readonly times?: number;
  /** Hits the same request again and again. */
  readonly sticky?: boolean;
  /** Seconds said by `rate_limited_retry_after` (1) and, as time until the quota is back, by `daily_quota` (3600). */
  readonly retryAfterSeconds?: number;
  /** How long `slow_drip` takes (1500) in milliseconds. */
  readonly durationMs?: number;
}

/** Rules in order of precedence, with a seed of their own. */
export interface FaultPlan {
  readonly seed?: string;
  readonly rules: readonly FaultRule[];
}

/** What the draw of a fault may look at: nothing but the request. */
export interface FaultTarget {
  readonly task: string;
  readonly model: string;
  /** Names the request whatever its cap, its attempt or its repair turn. */
  readonly identity: string;
}

/** Decides which fault, if any, strikes each request; bounded per request unless a rule is sticky. */
export class FaultDice {
  readonly #plan: FaultPlan;
  readonly #seen: number[];
  readonly #hits = new Map<string, number>();

  constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#seen = plan.rules.map(() => 0);
  }

  /** The rule that strikes this call, or null. */
  strike(target: FaultTarget): FaultRule | null {
    const uniform = seededUniforms(this.#plan.seed ?? 'faults', target.identity)();
    let upTo = 0;
    let struck: FaultRule | null = null;
    for (const [at, rule] of this.#plan.rules.entries()) {
      if (rule.tasks?.includes(target.task) === false || rule.models?.includes(target.model) === false) continue;
      const call = (this.#seen[at] ?? 0) + 1;
      this.#seen[at] = call;
      const from = upTo;
      if (rule.calls === undefined) upTo += rule.rate ?? 1;
      const due = rule.calls === undefined ? uniform >= from && uniform < upTo : rule.calls.includes(call);
      if (struck === null && due && this.#mayHit(at, rule, target.identity)) struck = rule;
    }
    return struck;
  }

  #mayHit(at: number, rule: FaultRule, identity: string): boolean {
    if (rule.sticky === true || rule.calls !== undefined) return true;
    const key = sha256Hex(`${at} ${identity}`).slice(0, 24);
    const hits = this.#hits.get(key) ?? 0;
    if (hits >= (rule.times ?? 1)) return false;
    this.#hits.set(key, hits + 1);
    return true;
  }
}
