/** An amount that was booked at a time and may be corrected once the true amount is known. */
export interface Booking {
  readonly at: number;
  amount: number;
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

  book(at: number, amount: number): Booking {
    this.#forget(at);
    const booking = { at, amount };
    this.#bookings.push(booking);
    this.#total += amount;
    return booking;
  }

  correct(booking: Booking, amount: number, now: number): void {
    this.#forget(now);
    if (booking.at > now - this.#spanMs) this.#total += amount - booking.amount;
    booking.amount = amount;
  }

  /** Milliseconds until `amount` more fits under `limit`; 0 when it fits now. More than the whole limit waits for an empty window. */
  waitMs(now: number, amount: number, limit: number): number {
    this.#forget(now);
    let over = this.#total + Math.min(amount, limit) - limit;
    if (over <= 0) return 0;
    for (let index = this.#first; index < this.#bookings.length; index++) {
      const booking = this.#bookings[index];
      if (booking === undefined) break;
      over -= booking.amount;
      if (over <= 0) return Math.max(1, booking.at + this.#spanMs - now);
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
      this.#first++;
    }
    if (this.#first > 1024 && this.#first * 2 > this.#bookings.length) {
      this.#bookings = this.#bookings.slice(this.#first);
      this.#first = 0;
    }
  }
}
