import type { Clock } from '../../llm/clock.ts';

/** Time that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ readonly at: number; readonly fire: () => void }>();

  constructor(now = Date.UTC(2026, 0, 15, 12)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  timer(delayMs: number, fire: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** When the next timer is due; null when none waits. */
  nextAt(): number | null {
    return this.#timers.size === 0 ? null : Math.min(...[...this.#timers].map(({ at }) => at));
  }

  /** Moves time on, firing what falls due in order and letting promises settle in between. */
  async advance(byMs: number): Promise<void> {
    const end = this.#now + byMs;
    for (;;) {
      await settle();
      const next = this.nextAt();
      if (next === null || next > end) break;
      this.#now = Math.max(this.#now, next);
      for (const timer of [...this.#timers].filter(({ at }) => at <= this.#now)) {
        this.#timers.delete(timer);
        timer.fire();
      }
    }
    this.#now = end;
    await settle();
  }

  /** Jumps from timer to timer until the promise settles; real work (loopback calls) is given `graceMs` of real time before each jump. */
  async drive<T>(promise: Promise<T>, graceMs = 15, busy: () => boolean = () => false): Promise<T> {
    const state = { settled: false };
    const done = (): void => {
      state.settled = true;
    };
    promise.then(done, done);
    while (!state.settled) {
      await realSleep(graceMs);
      const next = this.nextAt();
      if (!state.settled && next !== null && !busy()) await this.advance(next - this.#now);
    }
    return promise;
  }
}

/** Lets everything that is ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function realSleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
