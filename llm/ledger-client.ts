import type { CallOutcome, CallRequest, LedgerStore, ModelClient, ReplyValidator } from '../schemas/ledger.ts';
import { BatchDesk } from './batch/desk.ts';
import type { BatchPorts, BatchTurn } from './batch/desk.ts';
import type { ValidatorOf } from './batch/ingest.ts';
import { Budget } from './budget.ts';
import type { BudgetCaps } from './budget.ts';
import { ModelClientError } from './client-error.ts';
import type { CallEvent, ClientParts, Provider } from './client-parts.ts';
import { nothing } from './clock.ts';
import type { Clock } from './clock.ts';
import { FirstReplies } from './first-replies.ts';
import { Flight } from './flight.ts';
import type { FlightOutcome } from './flight.ts';
import { isClosed } from './gate.ts';
import type { Gate } from './gate.ts';
import type { Limiter } from './limiter.ts';
import type { PriceOf } from './prices.ts';
import { StoredCalls } from './stored-calls.ts';

/** What the one client of a process is made of; every part is handed in. */
export interface ModelClientOptions {
  readonly ledger: LedgerStore;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly limiter: Limiter;
  readonly priceOf: PriceOf;
  readonly caps: (runId: string) => BudgetCaps;
  readonly gate: Gate;
  readonly clock: Clock;
  /** Told after every finished exchange is durable. */
  readonly onCall?: (event: CallEvent) => void;
  /** Left out, every call is made at once. */
  readonly batching?: BatchPorts;
}

/** A model client that can be cancelled and drained. */
export interface LedgerModelClient extends ModelClient {
  /** With a signal: rejects with ModelClientError `cancelled` when it aborts; what is on the wire is still written. */
  call(request: CallRequest, validate: ReplyValidator, signal?: AbortSignal): Promise<CallOutcome>;
  /** A view of this client whose calls all obey one signal (an activity's cancellation). */
  withSignal(signal: AbortSignal): ModelClient;
  /** Learns which calls are out in batches; no call of a project with batches may be made before. */
  loadBatches(): Promise<void>;
  /** Looks at the batches that are out, takes in their answers, or sends what a run has queued. */
  tendBatches(runId: string, validatorOf: ValidatorOf, asked: boolean): Promise<BatchTurn>;
  /** Asks for the end of every batch of a run that is out; one sentence each for a person. */
  cancelBatches(runId: string): Promise<readonly string[]>;
  /** Sends nothing more: calls that wait (for a place, a backoff, an endpoint that is down) end as cancelled, those on the wire land. */
  drain(): void;
  /** Drains, waits for what is on the wire to be written, and closes the endpoints. */
  close(): Promise<void>;
}

interface Airborne {
  readonly runId: string;
  readonly flight: Flight;
  readonly outcome: Promise<FlightOutcome>;
}

/**
 * The one door to models of a process (DESIGN §4, §7): serves what is stored, makes one call for equal keys, obeys gate,
 * budget and limits, and returns an outcome only once it is durable. Make one per ledger and share it between runs.
 */
export function createModelClient(options: ModelClientOptions): LedgerModelClient {
  const { ledger, providers, limiter, priceOf, gate, clock } = options;
  const parts: ClientParts = {
    ledger,
    stored: new StoredCalls(ledger),
    providers,
    limiter,
    budget: new Budget(ledger, clock, options.caps, priceOf),
    gate,
    clock,
    priceOf,
    firstReplies: new FirstReplies(),
    unwritten: new Map(),
    onCall: options.onCall ?? nothing,
    isBatched: (request) => desk?.isBatched(request) ?? false,
  };
  const desk: BatchDesk | null = options.batching === undefined ? null : new BatchDesk(parts, options.batching);
  const airborne = new Map<string, Airborne>();
  let closed = false;
  const stopListening = gate.onChange(() => {
    for (const { flight } of airborne.values()) flight.wake();
  });

  const take = (request: CallRequest, validate: ReplyValidator): Airborne => {
    const known = airborne.get(request.key);
    if (known !== undefined) return known;
    const flight = new Flight(parts, request, validate, ...providerOf(request, providers, limiter));
    const outcome = flight.run().finally(() => {
      parts.stored.invalidate(request.key);
      airborne.delete(request.key);
    });
    const started = { runId: request.runId, flight, outcome };
    airborne.set(request.key, started);
    return started;
  };

  const call = async (request: CallRequest, validate: ReplyValidator, signal?: AbortSignal): Promise<CallOutcome> => {
    for (;;) {
      if (closed || signal?.aborted === true) throw cancelled();
      const { flight, outcome, runId } = take(request, validate);
      const result = await waitFor(flight, outcome, signal);
      // Another run's pause is not ours: the call is made for us then.
      const notOurs = result.kind === 'paused' && runId !== request.runId && !isClosed(gate.state(request.runId), clock.now());
      if (result.kind !== 'cancelled' && !notOurs) return result;
    }
  };

  const drain = (): void => {
    closed = true;
    stopListening();
    for (const { flight } of airborne.values()) flight.cancel();
  };

  return {
    call,
    prefetch: (keys) => parts.stored.prefetch(keys),
    withSignal: (signal) => ({
      prefetch: (keys) => parts.stored.prefetch(keys),
      call: (request, validate) => call(request, validate, signal),
    }),
    loadBatches: async () => desk?.load(),
    tendBatches: async (runId, validatorOf, asked) => (await desk?.tend(runId, validatorOf, asked)) ?? { kind: 'ready' },
    cancelBatches: async (runId) => (await desk?.cancel(runId)) ?? [],
    drain,
    close: async () => {
      drain();
      await Promise.allSettled([...airborne.values()].map(({ outcome }) => outcome));
      for (const { endpoint } of providers.values()) endpoint.close();
      // The last chance of replies that a full disk kept out; if it still is full, this says so.
      if (parts.unwritten.size > 0) await ledger.writeCompletions([...parts.unwritten.values()]);
    },
  };
}

/** Waits for a shared flight; the last caller to give up cancels it. */
async function waitFor(flight: Flight, outcome: Promise<FlightOutcome>, signal: AbortSignal | undefined): Promise<FlightOutcome> {
  flight.interest++;
  if (signal === undefined) return outcome.finally(() => flight.interest--);
  let stopListening = nothing;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
    stopListening = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    stopListening();
    flight.interest--;
    if (flight.interest === 0) flight.cancel();
  }
}

function cancelled(): ModelClientError {
  return new ModelClientError('cancelled', 'The call was cancelled; what was on the wire is still written to the ledger.');
}

function providerOf(
  request: CallRequest,
  providers: ReadonlyMap<string, Provider>,
  limiter: Limiter,
): readonly [Provider, ReturnType<Limiter['lane']>] {
  const provider = providers.get(request.provider);
  if (provider === undefined)
    throw new ModelClientError(
      'unknown_provider',
      `Role ${request.role} names provider ${request.provider}, which the config does not have.`,
    );
  return [provider, limiter.lane(request.provider, request.model, provider.limits)];
}
