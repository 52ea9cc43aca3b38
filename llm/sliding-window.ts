/** An amount that was booked at a time and may be corrected once the true amount is known. */
export interface Booking {
  /** When it last may have begun to count. */
  at: number;
  amount: number;
  /** It counts no more. */
  gone?: true;
}

/** Sum of what was booked within the last `spanMs`: the honest form of "per minute", without a fresh burst at each full minute. */
export class SlidingWindow {
  readonly #spanMs: number;
  #bookings: Booking[] = [];
  #first = 0;
  #total = 0;

  constructor(spanMs: number) {
    this.#spanMs = spanMs;
  }

  /** Books an amount now; it counts from `latest` at the latest (a call is sent before it arrives). */
  book(now: number, amount: number, latest: number = now): Booking {
    this.#forget(now);
    const booking: Booking = { at: latest, amount };
    this.#bookings.push(booking);
    this.#total += amount;
    return booking;
  }

  /** Sets the true amount; what is known now did begin to count before now. */
  correct(booking: Booking, amount: number, now: number): void {
    this.#forget(now);
    if (!booking.gone) this.#total += amount - booking.amount;
    booking.amount = amount;
    booking.at = Math.min(booking.at, now);
  }

  /** Milliseconds until `amount` more fits under `limit`; 0 when it fits now. More than the whole limit waits for an empty window. */
  waitMs(now: number, amount: number, limit: number): number {
    this.#forget(now);
    let over = this.#total + Math.min(amount, limit) - limit;
    if (over <= 0) return 0;
    // Bookings leave in the order they came: one that may have begun later holds back those behind it.
    let last = 0;
    for (let index = this.#first; index < this.#bookings.length; index++) {
      const booking = this.#bookings[index];
      if (booking === undefined) break;
      over -= booking.amount;
      last = Math.max(last, booking.at);
      if (over <= 0) return Math.max(1, last + this.#spanMs - now);
    }
    return this.#spanMs;
  }

  total(now: number): number {
    this.#forget(now);
    return this.#total;
  }

  #forget(now: number): void {
    for (;;) {
      const oldest = this.#bookings[this.#first];
      if (oldest === undefined || oldest.at > now - this.#spanMs) break;
      this.#total -= oldest.amount;
      oldest.gone = true;
      this.#first++;
    }
    if (this.#first > 1024 && this.#first * 2 > this.#bookings.length) {
      this.#bookings = this.#bookings.slice(this.#first);
      this.#first = 0;
    }
  }
}
