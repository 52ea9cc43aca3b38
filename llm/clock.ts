/** The only door of `llm/` to time, so that tests move it by hand. `timer` returns its own cancellation. */
export interface Clock {
  now(): number;
  timer(delayMs: number, fire: () => void): () => void;
}

const LONGEST_TIMER_MS = 2_147_483_647;

/** Real time; waits longer than a Node timer can hold are chained. */
export const systemClock: Clock = {
  now: () => Date.now(),
  timer(delayMs, fire) {
    let handle: NodeJS.Timeout | undefined;
    const arm = (leftMs: number): void => {
      const stepMs = Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS);
      handle = setTimeout(() => (leftMs > LONGEST_TIMER_MS ? arm(leftMs - stepMs) : fire()), stepMs);
    };
    arm(delayMs);
    return () => clearTimeout(handle);
  },
};

/** Something that will be granted, unless it is cancelled while it still waits: then it resolves to null. */
export interface Pending<T> {
  readonly granted: Promise<T | null>;
  cancel(): void;
}

/** Does nothing: the cancellation of what cannot be cancelled (yet). */
export const nothing = (): void => {};

/** A wait that can be cut short; it resolves to true when the whole time passed and to null when it was cancelled. */
export function pause(clock: Clock, delayMs: number): Pending<true> {
  let cancel = nothing;
  const granted = new Promise<true | null>((resolve) => {
    const stop = clock.timer(delayMs, () => resolve(true));
    cancel = () => {
      stop();
      resolve(null);
    };
  });
  return { granted, cancel: () => cancel() };
}

/** Midnight UTC after a time: when a day's budget and most daily quotas begin anew. */
export function nextUtcMidnight(nowMs: number): number {
  return Math.floor(nowMs / 86_400_000) * 86_400_000 + 86_400_000;
}
