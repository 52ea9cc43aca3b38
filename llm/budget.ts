import type { CallRequest, LedgerStore } from '../schemas/ledger.ts';
import { nextUtcMidnight, nothing } from './clock.ts';
import type { Clock, Pending } from './clock.ts';
import type { PriceOf } from './prices.ts';
import { unpricedMicroUsd } from './unpriced.ts';

/** Caps in whole micro-USD; an absent one does not hold. */
export interface BudgetCaps {
  readonly perCallMicroUsd?: number | undefined;
  readonly perStepMicroUsd?: number | undefined;
  readonly perRunMicroUsd?: number | undefined;
  readonly perDayMicroUsd?: number | undefined;
}

/** Money set aside for a call in flight. */
export interface Hold {
  /** Replaces the reservation by what the call cost; null (unknown: it may have been billed) counts what it sent, as "at least". */
  settle(costMicroUsd: number | null): void;
}

/** Money was set aside, or a cap stands in the way with nothing in flight that could free any. */
export type Reservation =
  | { readonly kind: 'held'; readonly hold: Hold }
  | { readonly kind: 'capped'; readonly detail: string; readonly until: number | null };

interface Scope {
  readonly spend: { spent: number; reserved: number };
  readonly cap: number;
  readonly name: string;
  readonly until: number | null;
  /** What to type to go on. */
  readonly cure: string;
}

const EDIT = 'type: memcalib cancel, raise it in the config, then: memcalib build (nothing is paid twice)';

/**
 * Holds the caps per call, step, run and UTC day by reserving the worst case before sending, so that a cap is
 * exceeded at most by what worst cases underestimate. Spending so far is read once per scope from the ledger; a call whose cost
 * nobody told (no answer, no usage) counts what it sent, before and after a restart.
 */
export class Budget {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #caps: (runId: string) => BudgetCaps;
  readonly #priceOf: PriceOf;
  readonly #spends = new Map<string, Promise<{ spent: number; reserved: number }>>();
  readonly #waiting = new Set<() => void>();

  constructor(ledger: LedgerStore, clock: Clock, caps: (runId: string) => BudgetCaps, priceOf: PriceOf) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#caps = caps;
    this.#priceOf = priceOf;
  }

  /** Sets money aside, waiting for calls in flight to settle when the cap is near; null when cancelled meanwhile. */
  reserve(request: CallRequest, worstMicroUsd: number | null, leastMicroUsd: number | null = null): Pending<Reservation> {
    let cancelled = false;
    let wake = nothing;
    const attempt = async (): Promise<Reservation | null> => {
      for (;;) {
        const scopes = await this.#scopesOf(request);
        if (cancelled) return null;
        const result = this.#take(request, worstMicroUsd ?? 0, leastMicroUsd ?? 0, scopes);
        if (result !== null) return result;
        await new Promise<void>((resolve) => {
          wake = resolve;
          this.#waiting.add(resolve);
        });
      }
    };
    return {
      granted: attempt(),
      cancel: () => {
        cancelled = true;
        wake();
      },
    };
  }

  /** Sets money aside without waiting; null when only calls in flight stand in the way. */
  async tryReserve(request: CallRequest, worstMicroUsd: number | null): Promise<Reservation | null> {
    return this.#take(request, worstMicroUsd ?? 0, 0, await this.#scopesOf(request));
  }

  /** Sets money aside whatever the caps say: for what an earlier process has sent already. */
  async hold(request: { readonly runId: string; readonly step: string }, worstMicroUsd: number): Promise<Hold> {
    const scopes = await this.#scopesOf(request);
    for (const { spend } of scopes) spend.reserved += worstMicroUsd;
    return this.#hold(worstMicroUsd, 0, scopes);
  }

  #take(request: CallRequest, worst: number, least: number, scopes: readonly Scope[]): Reservation | null {
    const perCall = this.#caps(request.runId).perCallMicroUsd;
    if (perCall !== undefined && worst > perCall) {
      return { kind: 'capped', detail: capSentence(`one call of step ${request.step}`, perCall, worst, EDIT), until: null };
    }
    const full = scopes.filter(({ spend, cap }) => spend.spent + spend.reserved + worst > cap);
    const stuck = full.find(({ spend }) => spend.reserved === 0);
    if (stuck !== undefined)
      return { kind: 'capped', detail: capSentence(stuck.name, stuck.cap, stuck.spend.spent + worst, stuck.cure), until: stuck.until };
    if (full.length > 0) return null;
    for (const { spend } of scopes) spend.reserved += worst;
    return { kind: 'held', hold: this.#hold(worst, least, scopes) };
  }

  #hold(worst: number, least: number, scopes: readonly Scope[]): Hold {
    let settled = false;
    return {
      settle: (cost) => {
        if (settled) return;
        settled = true;
        for (const { spend } of scopes) {
          spend.reserved -= worst;
          spend.spent += cost ?? least;
        }
        for (const wake of this.#waiting) wake();
        this.#waiting.clear();
      },
    };
  }

  async #scopesOf(request: { readonly runId: string; readonly step: string }): Promise<readonly Scope[]> {
    const caps = this.#caps(request.runId);
    const { runId, step } = request;
    const scopes: Scope[] = [];
    const add = async (
      name: string,
      cap: number | undefined,
      scope: Parameters<LedgerStore['spent']>[0],
      until: number | null,
      cure = EDIT,
    ): Promise<void> => {
      if (cap !== undefined) scopes.push({ name, cap, until, cure, spend: await this.#spend(name, scope) });
    };
    await add(`step ${step} of run ${runId}`, caps.perStepMicroUsd, { runId, step }, null);
    const more = Math.max(1, Math.ceil(((caps.perRunMicroUsd ?? 0) * 2) / 1e6));
    await add(
      `run ${runId}`,
      caps.perRunMicroUsd,
      { runId },
      null,
      `to let it spend more, type for example: memcalib resume --cap ${more}`,
    );
    const midnight = nextUtcMidnight(this.#clock.now());
    const sinceMs = midnight - 86_400_000;
    await add(`the day ${new Date(sinceMs).toISOString().slice(0, 10)}`, caps.perDayMicroUsd, { sinceMs }, midnight);
    return scopes;
  }

  #spend(name: string, scope: Parameters<LedgerStore['spent']>[0]): Promise<{ spent: number; reserved: number }> {
    const known = this.#spends.get(name);
    if (known !== undefined) return known;
    const loaded = this.#load(scope);
    this.#spends.set(name, loaded);
    loaded.catch(() => this.#spends.delete(name));
    return loaded;
  }

  async #load(scope: Parameters<LedgerStore['spent']>[0]): Promise<{ spent: number; reserved: number }> {
    const { microUsd, unknownCalls } = await this.#ledger.spent(scope);
    const unpriced = unknownCalls === 0 ? 0 : await unpricedMicroUsd(this.#ledger, this.#priceOf, scope);
    return { spent: microUsd + unpriced, reserved: 0 };
  }
}

function capSentence(what: string, cap: number, wouldBe: number, cure: string): string {
  return `The cap of ${usd(cap)} for ${what} is reached (the next call could bring it to ${usd(wouldBe)}); ${cure}.`;
}

function usd(microUsd: number): string {
  return `$${(microUsd / 1e6).toFixed(microUsd < 10_000 ? 6 : 2)}`;
}
