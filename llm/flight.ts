import type { CallCompletion, CallOutcome, CallRequest, ReplyValidator, StoredAttempt } from '../schemas/ledger.ts';
import { asStored, neverSent, sendOn } from './attempt.ts';
import type { EndedAttempt, OpenAttempt, Stop } from './attempt.ts';
import { ModelClientError } from './client-error.ts';
import { isDiskFull } from './client-parts.ts';
import type { ClientParts, Provider } from './client-parts.ts';
import { pause } from './clock.ts';
import type { Pending } from './clock.ts';
import { isClosed } from './gate.ts';
import type { Admission, Lane } from './lane.ts';
import { nextAttempt } from './next-attempt.ts';
import { estimateTokens, worstMicroUsd } from './prices.ts';
import type { StoredCall } from './stored-calls.ts';

type Paused = Extract<CallOutcome, { readonly kind: 'paused' }>;
/** What a flight ends with; `cancelled` only when nobody waits for it any more. */
export type FlightOutcome = CallOutcome | { readonly kind: 'cancelled' };

/** A wait longer than this for the provider's sake pauses the run instead of holding its memory. */
const LONGEST_HELD_WAIT_MS = 600_000;

/** The life of one key while somebody wants it: looks up, decides, waits, sends, writes, and goes round until there is an outcome. */
export class Flight {
  /** Callers that still wait. */
  interest = 0;
  readonly #parts: ClientParts;
  readonly #request: CallRequest;
  readonly #validate: ReplyValidator;
  readonly #provider: Provider;
  readonly #lane: Lane;
  #cancelWait: (() => void) | null = null;
  #cancelled = false;

  constructor(parts: ClientParts, request: CallRequest, validate: ReplyValidator, provider: Provider, lane: Lane) {
    this.#parts = parts;
    this.#request = request;
    this.#validate = validate;
    this.#provider = provider;
    this.#lane = lane;
  }

  /** Cuts the present wait short when the gate has closed. */
  wake(): void {
    if (this.#stopped() !== null) this.#cancelWait?.();
  }

  /** Ends the flight unless it is on the wire: what was sent is let finish and written, since it is paid. */
  cancel(): void {
    this.#cancelled = true;
    this.#cancelWait?.();
  }

  async run(): Promise<FlightOutcome> {
    const stored = await this.#parts.stored.take(this.#request.key);
    const late = await this.#writeLate(stored);
    if (late !== null) return late;
    for (;;) {
      const outcome = await this.#round(stored);
      if (outcome !== null) return outcome;
    }
  }

  async #round(stored: StoredCall): Promise<FlightOutcome | null> {
    const next = nextAttempt(stored.attempts, stored.series, this.#request.maxTokens);
    if (next.kind === 'failed') return next;
    if (next.kind !== 'send') return this.#served(next.attempt, stored.answer);
    const stop = this.#stopped();
    if (stop !== null) return stop;
    if (this.#parts.isBatched(this.#request)) return { kind: 'batched' };
    const waitMs = next.notBefore - this.#parts.clock.now();
    if (waitMs > 0 && (await this.#wait(pause(this.#parts.clock, waitMs))) === null) return this.#stopped();
    const blockedUntil = this.#lane.stats().blockedUntil;
    if (blockedUntil - this.#parts.clock.now() > LONGEST_HELD_WAIT_MS) {
      return this.#pause(
        'quota',
        `${this.#request.provider} lets ${this.#request.model} go on at ${new Date(blockedUntil).toISOString()}.`,
        blockedUntil,
      );
    }
    const admission = await this.#wait(this.#lane.admit(this.#request.role));
    if (admission === null) return this.#stopped();
    try {
      return await this.#admitted(stored, next.attempt, next.maxTokens, admission);
    } finally {
      admission.leave();
    }
  }

  async #admitted(stored: StoredCall, attempt: number, maxTokens: number, admission: Admission): Promise<FlightOutcome | null> {
    const { request } = this;
    const inputTokens = estimateTokens(request.messages.map((message) => message.content));
    const price = this.#parts.priceOf(request.provider, request.model);
    const [least, worst] = [0, maxTokens].map((outputTokens) => worstMicroUsd(price, inputTokens, outputTokens));
    const reservation = await this.#wait(this.#parts.budget.reserve(request, worst ?? null, least ?? null));
    if (reservation === null) return this.#stopped();
    if (reservation.kind === 'capped') return this.#pause('budget', reservation.detail, reservation.until);
    let cost: number | null = 0;
    try {
      const open: OpenAttempt = { request, attempt, series: stored.series, maxTokens, intendedAt: this.#parts.clock.now() };
      const full = await this.#orDiskFull(this.#parts.ledger.writeIntents([open]));
      if (full !== null) return full;
      const slot = await this.#wait(admission.slot(inputTokens + maxTokens));
      const stop = this.#stopped();
      if (slot === null || stop !== null) {
        slot?.giveBack();
        return (await this.#record(stored, open, neverSent(open, stop === null ? 'put off' : stop.kind, this.#parts.clock.now()))) ?? stop;
      }
      const ended = await sendOn(this.#parts, this.#provider, open, slot, this.#validate, (why) => this.#stopFor(why));
      admission.leave();
      cost = ended.completion.costMicroUsd;
      return (await this.#record(stored, open, ended.completion)) ?? (await this.#after(ended));
    } finally {
      reservation.hold.settle(cost);
    }
  }

  private get request(): CallRequest {
    return this.#request;
  }

  /** Writes a completion; the outcome of a call is never known before it is durable. */
  async #record(stored: StoredCall, open: OpenAttempt, completion: CallCompletion): Promise<Paused | null> {
    const full = await this.#orDiskFull(this.#parts.ledger.writeCompletions([completion]));
    if (full !== null) {
      this.#parts.unwritten.set(completion.key, completion);
      return full;
    }
    const { usage, costMicroUsd, latencyMs, returnedModel, fingerprint } = completion;
    const event = {
      request: this.#request,
      attempt: open.attempt,
      class: completion.class,
      usage,
      costMicroUsd,
      latencyMs,
      returnedModel,
      fingerprint,
    };
    stored.attempts = [...stored.attempts, asStored(open, completion)];
    if (latencyMs !== null) this.#parts.onCall(event);
    return null;
  }

  /** What a written attempt means for the caller; null goes round again under its policy. */
  async #after(ended: EndedAttempt): Promise<FlightOutcome | null> {
    const { completion, broken, stop } = ended;
    if (ended.thrown !== undefined) throw ended.thrown;
    const text = completion.replyText ?? '';
    const hopeless = this.#parts.firstReplies.observe(this.#request, completion.class, completion.replyText, completion.message ?? '');
    if (hopeless !== null) await this.#parts.gate.close('parse_rate', hopeless, null, this.#request.runId);
    if (broken !== null) return { kind: 'invalid', ...broken, text, served: 'fresh' };
    if (completion.class === 'ok') return { kind: 'reply', text, attempt: completion.attempt, served: 'fresh' };
    if (stop !== null) return { kind: 'paused', reason: stop.reason, until: stop.until };
    return null;
  }

  async #served(attempt: number, known: string | null): Promise<FlightOutcome> {
    const { key } = this.#request;
    const text = known ?? (await this.#parts.ledger.replies([{ key, attempt }]))[0]?.replyText;
    if (text === undefined)
      throw new ModelClientError(
        'reply_missing',
        `The ledger holds no reply for call ${key} attempt ${attempt}; put back a copy of the project folder, then type: memcalib build.`,
      );
    const verdict = this.#validate(text);
    if (verdict.ok) return { kind: 'reply', text, attempt, served: 'ledger' };
    return { kind: 'invalid', class: verdict.class, text, rule: verdict.rule, path: verdict.path, served: 'ledger' };
  }

  /** Writes what an earlier flight of this key could not because the disk was full. */
  async #writeLate(stored: StoredCall): Promise<Paused | null> {
    const late = this.#parts.unwritten.get(this.#request.key);
    if (late === undefined) return null;
    const full = await this.#orDiskFull(this.#parts.ledger.writeCompletions([late]));
    if (full !== null) return full;
    this.#parts.unwritten.delete(late.key);
    stored.attempts = stored.attempts.map((attempt: StoredAttempt) =>
      attempt.attempt === late.attempt && attempt.completedAt === null ? { ...attempt, ...late } : attempt,
    );
    return null;
  }

  async #orDiskFull(write: Promise<void>): Promise<Paused | null> {
    try {
      await write;
      return null;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      return this.#pause('disk', 'The disk is full; free some space, then type: memcalib resume.', null);
    }
  }

  #stopFor({ reason, detail, until }: Stop): Promise<Paused> {
    if (until !== null) this.#lane.blockUntil(until);
    return this.#pause(reason, detail, until);
  }

  async #pause(reason: string, detail: string, until: number | null): Promise<Paused> {
    await this.#parts.gate.close(reason, detail, until, this.#request.runId);
    return { kind: 'paused', reason, until };
  }

  #stopped(): Paused | { readonly kind: 'cancelled' } | null {
    if (this.#cancelled) return { kind: 'cancelled' };
    const state = this.#parts.gate.state(this.#request.runId);
    return isClosed(state, this.#parts.clock.now()) ? { kind: 'paused', reason: state.reason, until: state.until } : null;
  }

  /** Null when the wait was cut short; a gate that closed while something was written, when nobody could be woken, counts too. */
  async #wait<T>(pending: Pending<T>): Promise<T | null> {
    this.#cancelWait = () => pending.cancel();
    if (this.#stopped() !== null) pending.cancel();
    const granted = await pending.granted;
    this.#cancelWait = null;
    return granted;
  }
}
