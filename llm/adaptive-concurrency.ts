const HALVE = 0.5;
const FAILURES_UNTIL_OUTAGE = 10;
const FIRST_BLOCK_MS = 1000;
const LONGEST_BLOCK_MS = 60_000;

/**
 * Additive increase, multiplicative decrease between 1 and the configured concurrency. It doubles per round trip until the
 * first 429 (slow start), then grows by one per round trip. Only requests sent after the last step down may step down again.
 */
export class AdaptiveConcurrency {
  readonly #most: number;
  #limit: number;
  #slowStart = true;
  #steppedAt = Number.NEGATIVE_INFINITY;
  #slowdowns = 0;
  #failures = 0;
  #outages = 0;

  constructor(start: number, most: number) {
    this.#most = most;
    this.#limit = Math.min(start, most);
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  succeeded(): void {
    this.#slowdowns = 0;
    this.#failures = 0;
    this.#outages = 0;
    this.#limit = Math.min(this.#most, this.#limit + (this.#slowStart ? 1 : 1 / this.#limit));
  }

  /** A 429: halves, and says how long to wait where the provider did not. */
  slowedDown(sentAt: number, now: number): number {
    if (sentAt > this.#steppedAt) {
      this.#limit = Math.max(1, this.#limit * HALVE);
      this.#slowStart = false;
      this.#steppedAt = now;
      this.#slowdowns++;
    }
    return Math.min(LONGEST_BLOCK_MS, FIRST_BLOCK_MS * 2 ** (Math.max(1, this.#slowdowns) - 1));
  }

  /**
   * The endpoint failed. After ten in a row it counts as down: one call at a time tries it, after 1, 2, 4 ... 60 s,
   * so that an outage of an hour costs few attempts. Returns how long to wait.
   */
  failed(sentAt: number, now: number): number {
    if (sentAt <= this.#steppedAt) return 0;
    this.#failures++;
    if (this.#outages === 0 && this.#failures < FAILURES_UNTIL_OUTAGE) return 0;
    this.#limit = 1;
    this.#slowStart = true;
    this.#steppedAt = now;
    this.#failures = 0;
    this.#outages++;
    return Math.min(LONGEST_BLOCK_MS, FIRST_BLOCK_MS * 2 ** (this.#outages - 1));
  }

  /** Whether the endpoint counts as down at the moment. */
  get down(): boolean {
    return this.#outages > 0;
  }
}
