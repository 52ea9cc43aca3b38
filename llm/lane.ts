import type { CallClass } from '../schemas/ledger.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { nextUtcMidnight, nothing } from './clock.ts';
import type { Clock, Pending } from './clock.ts';
import { FairQueue } from './fair-queue.ts';
import { learnLimits } from './learned-limits.ts';
import { SlidingWindow } from './sliding-window.ts';
import type { Booking } from './sliding-window.ts';

/** Limits of one provider × model as configured; what is absent is learned from headers and 429s. */
export interface LaneLimits {
  readonly concurrency: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly requestsPerDay?: number;
  /** Calls in flight to begin with; default: `concurrency` where a rate is configured, else 4. */
  readonly startConcurrency?: number;
}

/** How a call on the wire ended, as far as limits are concerned. */
export interface SlotResult {
  readonly class: CallClass;
  readonly tokens: number | null;
  readonly retryAfterMs: number | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A place on the wire: held from send to last byte, never during a commit. */
export interface Slot {
  release(result: SlotResult): void;
  /** For a place that was granted but not used: nothing went out. */
  giveBack(): void;
}

/** Leave to write an intent; at most twice the present concurrency is admitted, counting what is on the wire. */
export interface Admission {
  slot(estimatedTokens: number): Pending<Slot>;
  leave(): void;
}

export interface LaneStats {
  readonly inFlight: number;
  readonly admitted: number;
  readonly waiting: number;
  readonly concurrency: number;
  /** When sending goes on (milliseconds since the epoch); in the past when nothing holds it. */
  readonly blockedUntil: number;
  readonly down: boolean;
}

interface WaitingAdmission {
  readonly role: string;
  readonly grant: (admission: Admission | null) => void;
}

interface WaitingSlot {
  readonly tokens: number;
  readonly grant: (slot: Slot | null) => void;
}

/** A minute as the provider's clock may see it: a little is added. */
const MINUTE_MS = 60_250;
/** On a busy machine or line a call arrives this much after it was sent, or just before its reply: its minute begins no later. */
const LONGEST_WAY_MS = 2000;
const UNKNOWN_START = 4;

/** The limits of one provider × model, shared by all roles and runs of a process. Waiting here is no attempt and no timeout. */
export class Lane {
  readonly #clock: Clock;
  readonly #limits: LaneLimits;
  readonly #adaptive: AdaptiveConcurrency;
  readonly #requests = new SlidingWindow(MINUTE_MS);
  readonly #tokens = new SlidingWindow(MINUTE_MS);
  readonly #admissions = new FairQueue<WaitingAdmission>();
  readonly #slots = new FairQueue<WaitingSlot>();
  #learnedRpm: number | null = null;
  #learnedTpm: number | null = null;
  #admitted = 0;
  #inFlight = 0;
  #blockedUntil = 0;
  #day = 0;
  #sentToday = 0;
  #stopTimer: (() => void) | null = null;

  constructor(clock: Clock, limits: LaneLimits) {
    this.#clock = clock;
    this.#limits = limits;
    const rateKnown = limits.requestsPerMinute !== undefined || limits.tokensPerMinute !== undefined;
    this.#adaptive = new AdaptiveConcurrency(
      limits.startConcurrency ?? (rateKnown ? limits.concurrency : UNKNOWN_START),
      limits.concurrency,
    );
  }

  /** Waits for leave to write an intent. */
  admit(role: string): Pending<Admission> {
    return this.#enqueue(
      this.#admissions,
      role,
      (grant) => ({ role, grant }),
      () => this.#pumpAdmissions(),
    );
  }

  /** Holds all sending until a time; used for Retry-After and daily quotas. */
  blockUntil(time: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, time);
  }

  /** Lets go of a block that a person has lifted (a resume after a quota pause). */
  unblock(): void {
    this.#blockedUntil = 0;
    this.#pumpSlots();
  }

  stats(): LaneStats {
    return {
      inFlight: this.#inFlight,
      admitted: this.#admitted,
      waiting: this.#admissions.size + this.#slots.size,
      concurrency: this.#adaptive.limit,
      blockedUntil: Math.max(this.#blockedUntil, this.#dayUsedUp() ? nextUtcMidnight(this.#clock.now()) : 0),
      down: this.#adaptive.down,
    };
  }

  #enqueue<G, W extends { readonly grant: (grant: G | null) => void }>(
    queue: FairQueue<W>,
    role: string,
    make: (grant: (granted: G | null) => void) => W,
    pump: () => void,
  ): Pending<G> {
    let cancel = nothing;
    const granted = new Promise<G | null>((resolve) => {
      const waiting = make(resolve);
      queue.push(role, waiting);
      cancel = () => {
        if (queue.remove(role, waiting)) waiting.grant(null);
      };
    });
    pump();
    return { granted, cancel: () => cancel() };
  }

  #pumpAdmissions(): void {
    while (this.#admitted < 2 * this.#adaptive.limit) {
      const next = this.#admissions.shift();
      if (next === undefined) return;
      this.#admitted++;
      next.grant(this.#admission(next.role));
    }
  }

  #admission(role: string): Admission {
    let left = false;
    const leave = (): void => {
      if (left) return;
      left = true;
      this.#admitted--;
      this.#pumpAdmissions();
    };
    const slot = (tokens: number): Pending<Slot> =>
      this.#enqueue<Slot, WaitingSlot>(
        this.#slots,
        role,
        (grant) => ({ tokens, grant }),
        () => this.#pumpSlots(),
      );
    return { slot, leave };
  }

  #pumpSlots(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    while (this.#inFlight < this.#adaptive.limit) {
      const next = this.#slots.peek();
      if (next === undefined) return;
      const waitMs = this.#waitMs(next.tokens);
      if (waitMs > 0) {
        this.#stopTimer = this.#clock.timer(waitMs, () => this.#pumpSlots());
        return;
      }
      this.#slots.shift();
      next.grant(this.#open(next.tokens));
    }
  }

  #waitMs(tokens: number): number {
    const now = this.#clock.now();
    const rpm = this.#limits.requestsPerMinute ?? this.#learnedRpm;
    const tpm = this.#limits.tokensPerMinute ?? this.#learnedTpm;
    return Math.max(
      this.#blockedUntil - now,
      this.#dayUsedUp() ? nextUtcMidnight(now) - now : 0,
      rpm === null ? 0 : this.#requests.waitMs(now, 1, rpm),
      tpm === null ? 0 : this.#tokens.waitMs(now, tokens, tpm),
    );
  }

  #dayUsedUp(): boolean {
    const day = Math.floor(this.#clock.now() / 86_400_000);
    if (day !== this.#day) {
      this.#day = day;
      this.#sentToday = 0;
    }
    return this.#limits.requestsPerDay !== undefined && this.#sentToday >= this.#limits.requestsPerDay;
  }

  #open(tokens: number): Slot {
    const sentAt = this.#clock.now();
    this.#inFlight++;
    this.#sentToday++;
    const request = this.#requests.book(sentAt, 1, sentAt + LONGEST_WAY_MS);
    const booking = this.#tokens.book(sentAt, tokens, sentAt + LONGEST_WAY_MS);
    let open = true;
    const close = (settle: () => void): void => {
      if (!open) return;
      open = false;
      this.#inFlight--;
      settle();
      this.#pumpSlots();
      this.#pumpAdmissions();
    };
    return {
      release: (result) =>
        close(() => {
          this.#requests.correct(request, 1, this.#clock.now());
          this.#settle(result, sentAt, booking);
        }),
      giveBack: () =>
        close(() => {
          this.#sentToday--;
          this.#requests.correct(request, 0, this.#clock.now());
          this.#tokens.correct(booking, 0, this.#clock.now());
        }),
    };
  }

  #settle(result: SlotResult, sentAt: number, booking: Booking): void {
    const now = this.#clock.now();
    if (result.tokens !== null) this.#tokens.correct(booking, result.tokens, now);
    else this.#tokens.correct(booking, result.class === 'rate_limited' ? 0 : booking.amount, now);
    if (result.class === 'rate_limited') {
      const ownMs = this.#adaptive.slowedDown(sentAt, now);
      this.blockUntil(now + (result.retryAfterMs ?? ownMs));
    } else if (result.class === 'network' || result.class === 'timeout' || result.class === 'server_error') {
      this.blockUntil(now + Math.max(this.#adaptive.failed(sentAt, now), result.retryAfterMs ?? 0));
    } else if (result.class !== 'quota_exhausted' && result.class !== 'no_credit') this.#adaptive.succeeded();
    this.#learn(result.headers, now);
  }

  #learn(headers: Readonly<Record<string, string>>, now: number): void {
    const { requests, tokens } = learnLimits(headers);
    if (requests.limit !== null && requests.limit > 0) this.#learnedRpm = requests.limit;
    if (tokens.limit !== null && tokens.limit > 0) this.#learnedTpm = tokens.limit;
    if (requests.remaining === 0 && requests.resetMs !== null) this.blockUntil(now + requests.resetMs);
    if (tokens.remaining === 0 && tokens.resetMs !== null) this.blockUntil(now + tokens.resetMs);
  }
}
