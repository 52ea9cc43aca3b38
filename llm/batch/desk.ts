import type { BatchRow, BatchStore } from '../../schemas/batch.ts';
import type { CallRequest } from '../../schemas/ledger.ts';
import type { CallRole } from '../../schemas/steps.ts';
import type { Stop } from '../attempt.ts';
import type { Hold } from '../budget.ts';
import type { ClientParts } from '../client-parts.ts';
import { ModelClientError } from '../client-error.ts';
import { cancelSentence, stillOutSentence } from './cancel.ts';
import { endUnanswered, ingestResults, membersOf, outcomeNote } from './ingest.ts';
import type { ValidatorOf } from './ingest.ts';
import { loadBatch } from './load.ts';
import type { LoadedBatch } from './load.ts';
import { BatchTransportError } from './transport.ts';
import type { BatchTransport, Unanswered } from './transport.ts';

/** How the calls of a role travel in batches. */
export interface BatchSettings {
  readonly transport: BatchRow['transport'];
  readonly folder: string | null;
  readonly pollSeconds: number;
  readonly maxRequests: number;
}

/** What batches need of the owner. */
export interface BatchPorts {
  readonly store: BatchStore;
  /** Null for calls that are made one by one. */
  settingsOf(request: CallRequest): BatchSettings | null;
  transportOf(batch: BatchRow): Promise<BatchTransport>;
  readonly notice: (sentence: string) => void;
}

/** What a turn at the desk came to. `ready`: calls were answered, or given back to be queued again; chunks can go on. */
export type BatchTurn =
  | { readonly kind: 'ready' }
  | { readonly kind: 'waiting'; readonly sentence: string; readonly pollAfterMs: number; readonly forPerson: boolean }
  | { readonly kind: 'paused'; readonly reason: string; readonly until: number | null };

/** What one batch came to in a turn. */
type Seen =
  | { readonly kind: 'moved' }
  | { readonly kind: 'out'; readonly said: string; readonly afterMs?: number }
  | { readonly kind: 'stopped'; readonly stop: Stop };

const LONGEST_POLL_MS = 600_000;
const RETRY_MS = 30_000;
const SOON_MS = 1000;

/**
 * Where calls of batched roles wait: they queue until nothing else can go on, travel together, and come back through the ledger.
 * A call that is out in a batch is never sent another way meanwhile.
 */
export class BatchDesk {
  readonly #parts: ClientParts;
  readonly #ports: BatchPorts;
  /** Keys that are out, with their batch. */
  readonly #out = new Map<string, string>();
  readonly #queues = new Map<string, Map<string, CallRequest>>();
  /** Lines of batches this process could not deliver yet. */
  readonly #undelivered = new Map<string, readonly string[]>();
  readonly #holds = new Map<string, ReadonlyMap<string, readonly Hold[]>>();
  /** What the answers of a batch cost since its money was set aside, by step. */
  readonly #costs = new Map<string, Map<string, number>>();
  readonly #notes = new Map<string, string>();
  #loaded: Promise<void> | null = null;
  #turns: Promise<unknown> = Promise.resolve();

  constructor(parts: ClientParts, ports: BatchPorts) {
    this.#parts = parts;
    this.#ports = ports;
  }

  /** Reads what is out; calls may only be made once this has ended. */
  load(): Promise<void> {
    this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = null;
      throw error;
    });
    return this.#loaded;
  }

  /** Whether a call that would be sent now waits for a batch; one of a batched role is queued. */
  isBatched(request: CallRequest): boolean {
    if (this.#out.has(request.key)) return true;
    if (this.#ports.settingsOf(request) === null) return false;
    const queue = this.#queues.get(request.runId) ?? new Map<string, CallRequest>();
    this.#queues.set(request.runId, queue.set(request.key, request));
    return true;
  }

  /** One turn for a run: looks at every batch that is out, takes in what was answered, else sends what is queued. Turns never overlap. */
  tend(runId: string, validatorOf: ValidatorOf, asked: boolean): Promise<BatchTurn> {
    const turn = this.#turns.then(() => this.#turn(runId, validatorOf, asked));
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  /** Asks for the end of every batch of a run that is out; gives one sentence for each. What was done is taken in by a later turn. */
  cancel(runId: string): Promise<readonly string[]> {
    const cancelled = this.#turns.then(async () => {
      await this.load();
      this.#queues.delete(runId);
      const sentences: string[] = [];
      for (const batch of await this.#ports.store.out()) if (batch.runId === runId) sentences.push(await this.#cancelOne(batch));
      return sentences;
    });
    this.#turns = cancelled.catch(() => undefined);
    return cancelled;
  }

  async #cancelOne(batch: BatchRow): Promise<string> {
    try {
      const transport = await this.#ports.transportOf(batch);
      const found = batch.state === 'preparing' ? await transport.find(batch) : { kind: 'found' as const, remoteId: batch.remoteId ?? '' };
      if (found.kind === 'unknown') return stillOutSentence(batch, found.why);
      if (found.kind === 'absent') {
        await this.#giveBack(batch, 'never sent');
        return `Batch ${batch.id} had not been sent: nothing of it is billed.`;
      }
      const sent: BatchRow = { ...batch, state: 'submitted', remoteId: found.remoteId, at: this.#parts.clock.now() };
      if (batch.state === 'preparing') await this.#ports.store.put(sent);
      return cancelSentence(sent, await transport.cancel(sent));
    } catch (error) {
      if (!(error instanceof BatchTransportError)) throw error;
      return stillOutSentence(batch, error.message);
    }
  }

  async #turn(runId: string, validatorOf: ValidatorOf, asked: boolean): Promise<BatchTurn> {
    await this.load();
    let moved = false;
    const outs: Extract<Seen, { readonly kind: 'out' }>[] = [];
    for (const batch of await this.#ports.store.out()) {
      const seen = await this.#look(batch, runId, validatorOf, asked);
      if (seen.kind === 'stopped') return this.#pause(seen.stop, runId);
      if (seen.kind === 'moved') moved = true;
      else outs.push(seen);
    }
    if (moved) return { kind: 'ready' };
    const queued = [...(this.#queues.get(runId)?.values() ?? [])];
    this.#queues.delete(runId);
    for (const role of new Set(queued.map((request) => request.role))) {
      const sent = await this.#send(
        runId,
        role,
        queued.filter((request) => request.role === role),
      );
      if (sent.kind === 'stopped') return this.#pause(sent.stop, runId);
      if (sent.kind === 'out') outs.push(sent);
    }
    return outs.length === 0 ? { kind: 'ready' } : this.#waiting(runId, outs);
  }

  /** The longer a batch is out, the less often it is looked at: after an hour every six minutes. */
  async #waiting(runId: string, seen: readonly { readonly said: string; readonly afterMs?: number }[]): Promise<BatchTurn> {
    const out = await this.#ports.store.out();
    const now = this.#parts.clock.now();
    const waits = out.map(({ createdAt, pollSeconds, state }) =>
      state === 'preparing' ? RETRY_MS : Math.max(pollSeconds * 1000, Math.min(LONGEST_POLL_MS, (now - createdAt) / 10)),
    );
    const soonestMs = out.length === 0 ? SOON_MS : Math.min(...waits);
    const note = this.#notes.get(runId);
    return {
      kind: 'waiting',
      sentence: `${seen.map(({ said }) => said).join('; ')}${note === undefined ? '' : `. ${note}`}`,
      pollAfterMs: Math.round(Math.max(soonestMs, ...seen.map(({ afterMs }) => afterMs ?? 0))),
      forPerson: out.length > 0 && out.every(({ transport, state }) => transport === 'file' && state === 'submitted'),
    };
  }

  async #pause(stop: Stop, runId: string): Promise<BatchTurn> {
    await this.#parts.gate.close(stop.reason, stop.detail, stop.until, runId);
    return { kind: 'paused', reason: stop.detail === '' ? stop.reason : stop.detail, until: stop.until };
  }

  async #look(batch: BatchRow, runId: string, validatorOf: ValidatorOf, asked: boolean): Promise<Seen> {
    try {
      const transport = await this.#ports.transportOf(batch);
      if (batch.state === 'preparing') return await this.#deliver(batch, transport, asked);
      const look = await transport.look(batch, asked);
      if (look.kind === 'working') return { kind: 'out', said: look.said };
      if (look.kind === 'refused') {
        await this.#giveBack(batch, `refused: ${look.why}`);
        const detail = `Batch ${batch.id} was refused by ${batch.provider} before anything ran: ${look.why}. Mend the config, then type: memcalib resume.`;
        return { kind: 'stopped', stop: { reason: 'config_error', detail, until: null } };
      }
      return await this.#takeIn(batch, look, runId, validatorOf);
    } catch (error) {
      return troubleOf(error);
    }
  }

  async #takeIn(
    batch: BatchRow,
    look: { readonly files: readonly string[]; readonly final: boolean; readonly unanswered: Unanswered; readonly said: string },
    runId: string,
    validatorOf: ValidatorOf,
  ): Promise<Seen> {
    const provider = this.#parts.providers.get(batch.provider);
    if (provider === undefined)
      throw new ModelClientError('unknown_provider', `Batch ${batch.id} names provider ${batch.provider}, which the config does not have.`);
    const members = await membersOf(this.#parts, await this.#ports.store.calls(batch.id));
    const open = new Map(members.waiting);
    const result = await ingestResults(this.#parts, provider, validatorOf, { ...members, final: look.final }, look.files);
    for (const [id, { key }] of open) if (!members.waiting.has(id)) this.#out.delete(key);
    const costs = this.#costs.get(batch.id) ?? new Map<string, number>();
    this.#costs.set(batch.id, costs);
    for (const [step, microUsd] of result.microUsdByStep) costs.set(step, (costs.get(step) ?? 0) + microUsd);
    const isOver = look.final || members.waiting.size === 0;
    const again = isOver ? await endUnanswered(this.#parts, members.waiting.values(), look.unanswered) : 0;
    const note = outcomeNote(batch, result.answered, result.complaints, again);
    if (isOver) await this.#end(batch, 'ended', note);
    if (isOver || result.answered > 0 || result.complaints.length > 0) {
      this.#ports.notice(note);
      this.#notes.set(runId, note);
    }
    if (result.stop !== null) return { kind: 'stopped', stop: result.stop };
    return isOver || result.answered > 0 ? { kind: 'moved' } : { kind: 'out', said: look.said };
  }

  /** Asks for a batch that may or may not have arrived, and sends it when it surely has not. */
  async #deliver(batch: BatchRow, transport: BatchTransport, asked: boolean): Promise<Seen> {
    const found = await transport.find(batch);
    if (found.kind === 'found') return this.#submitted(batch, found.remoteId, transport);
    if (found.kind === 'unknown' && !asked) return { kind: 'stopped', stop: { reason: 'batch', detail: found.why, until: null } };
    const lines = this.#undelivered.get(batch.id);
    if (lines !== undefined) return this.#submitted(batch, await this.#submit(batch, lines, transport), transport);
    await this.#giveBack(batch, 'never sent');
    return { kind: 'moved' };
  }

  /** A refusal means that nothing was taken: the calls are given back, and the stop goes on. */
  async #submit(batch: BatchRow, lines: readonly string[], transport: BatchTransport): Promise<string> {
    this.#undelivered.set(batch.id, lines);
    try {
      return await transport.submit(batch, lines);
    } catch (error) {
      if (error instanceof BatchTransportError && error.stop !== null) await this.#giveBack(batch, `not taken: ${error.message}`);
      throw error;
    }
  }

  async #submitted(batch: BatchRow, remoteId: string, transport: BatchTransport): Promise<Seen> {
    const sent: BatchRow = { ...batch, state: 'submitted', remoteId, at: this.#parts.clock.now() };
    await this.#ports.store.put(sent);
    this.#undelivered.delete(batch.id);
    this.#ports.notice(`Batch ${batch.id}: ${batch.requests} requests of ${batch.role} are out (${remoteId.slice(0, 300)}).`);
    const look = await transport.look(sent, false);
    return { kind: 'out', said: look.kind === 'refused' ? look.why : look.said };
  }

  async #send(runId: string, role: CallRole, queued: readonly CallRequest[]): Promise<Seen> {
    const settings = queued[0] === undefined ? null : this.#ports.settingsOf(queued[0]);
    if (settings === null) return { kind: 'moved' };
    const loaded: LoadedBatch = await loadBatch(this.#parts, queued, settings.maxRequests);
    if (loaded.capped !== null) return { kind: 'stopped', stop: loaded.capped };
    const [first] = loaded.calls;
    if (first === undefined)
      return loaded.isHeldBack ? { kind: 'out', said: 'the cap leaves no room until calls in flight have ended' } : { kind: 'moved' };
    const now = this.#parts.clock.now();
    const number = 1 + (await this.#ports.store.countOf(runId));
    const batch: BatchRow = {
      id: `${runId}-${role}-${String(number).padStart(3, '0')}`,
      runId,
      role,
      state: 'preparing',
      provider: first.request.provider,
      transport: settings.transport,
      folder: settings.folder,
      pollSeconds: settings.pollSeconds,
      remoteId: null,
      requests: loaded.calls.length,
      worstMicroUsd: loaded.worstMicroUsd,
      note: '',
      createdAt: now,
      at: now,
    };
    this.#holds.set(batch.id, loaded.holds);
    // Before anything leaves: the batch, what is in it, and every intent. What follows can be asked for by its id.
    await this.#ports.store.put(batch);
    await this.#ports.store.putCalls(
      batch.id,
      loaded.calls.map(({ request, attempt }) => ({ key: request.key, attempt })),
    );
    for (const { request } of loaded.calls) this.#out.set(request.key, batch.id);
    await this.#parts.ledger.writeIntents(loaded.calls.map((call) => ({ ...call, intendedAt: now })));
    for (const { request } of loaded.calls) this.#parts.stored.invalidate(request.key);
    try {
      const transport = await this.#ports.transportOf(batch);
      return await this.#submitted(batch, await this.#submit(batch, loaded.lines, transport), transport);
    } catch (error) {
      return troubleOf(error);
    }
  }

  /** Ends a batch that nobody took: its calls cost nothing and are queued again. */
  async #giveBack(batch: BatchRow, note: string): Promise<void> {
    const { waiting } = await membersOf(this.#parts, await this.#ports.store.calls(batch.id));
    await endUnanswered(this.#parts, waiting.values(), 'cancelled');
    await this.#end(batch, 'abandoned', note);
  }

  async #end(batch: BatchRow, state: 'ended' | 'abandoned', note: string): Promise<void> {
    await this.#ports.store.put({ ...batch, state, note, at: this.#parts.clock.now() });
    for (const [key, id] of this.#out) if (id === batch.id) this.#out.delete(key);
    this.#undelivered.delete(batch.id);
    for (const [step, holds] of this.#holds.get(batch.id) ?? [])
      holds.forEach((hold, at) => hold.settle(at === 0 ? (this.#costs.get(batch.id)?.get(step) ?? 0) : 0));
    this.#holds.delete(batch.id);
    this.#costs.delete(batch.id);
  }

  async #load(): Promise<void> {
    for (const batch of await this.#ports.store.out()) {
      const { waiting } = await membersOf(this.#parts, await this.#ports.store.calls(batch.id));
      for (const { key } of waiting.values()) this.#out.set(key, batch.id);
      const holds = new Map<string, readonly Hold[]>();
      for (const [step, worst] of Object.entries(batch.worstMicroUsd))
        holds.set(step, [await this.#parts.budget.hold({ runId: batch.runId, step }, worst)]);
      this.#holds.set(batch.id, holds);
    }
  }
}

/** A fault of the other side as what it means for the run; anything else is a fault of ours and goes on. */
function troubleOf(error: unknown): Seen {
  if (!(error instanceof BatchTransportError)) throw error;
  if (error.stop !== null) return { kind: 'stopped', stop: error.stop };
  return { kind: 'out', said: `${error.message}; it is tried again`, afterMs: error.retryAfterMs ?? 0 };
}
