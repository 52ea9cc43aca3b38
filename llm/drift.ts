import { z } from 'zod';
import type { ModelClient, StoredAttempt } from '../schemas/ledger.ts';
import { canaryAnswer, canaryRequest, canaryValidator } from './canary.ts';
import type { WatchedRole } from './canary.ts';
import type { CallEvent } from './client-parts.ts';
import type { Gate } from './gate.ts';

/** What the sentinel needs; baselines are small named facts that outlive the process. */
export interface DriftOptions {
  readonly client: ModelClient;
  readonly gate: Gate;
  readonly roles: readonly WatchedRole[];
  readonly readFact: (name: string) => Promise<string | null>;
  readonly writeFact: (name: string, value: string) => Promise<void>;
  readonly attemptsOf: (key: string) => Promise<readonly StoredAttempt[]>;
  readonly notice: (sentence: string) => void;
  readonly everyCalls?: number;
}

const Baseline = z.strictObject({
  returnedModel: z.string().nullable(),
  /** Balanced endpoints serve from several; each is checked once by a canary. */
  fingerprints: z.array(z.string()),
  canary: z.string().nullable(),
  asked: z.int(),
});
type Baseline = z.infer<typeof Baseline>;

const NEW: Baseline = { returnedModel: null, fingerprints: [], canary: null, asked: 0 };
const EVERY_CALLS = 5000;
const MOST_FINGERPRINTS = 64;

/**
 * Notices when a provider serves another model under the same name: a changed returned name or a moved canary closes the gate
 * with both values; a new fingerprint asks a canary at once. Hand `observe` to the client as `onCall`.
 */
export class DriftSentinel {
  readonly #options: DriftOptions;
  readonly #baselines = new Map<string, Baseline>();
  readonly #calls = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(options: DriftOptions) {
    this.#options = options;
  }

  /** One canary per role at the start of a run. */
  async start(runId: string): Promise<void> {
    for (const watched of this.#options.roles) await this.#check(watched, runId);
  }

  /** Looks at one finished call; what must be asked or closed goes on in the background (`idle` waits for it). */
  observe(event: CallEvent): void {
    const { request, returnedModel, fingerprint } = event;
    if (event.class !== 'ok' || request.step === 'canary' || request.step === 'probe') return;
    const watched = this.#options.roles.find(
      ({ role, provider, model }) => role === request.role && provider === request.provider && model === request.model,
    );
    const baseline = watched === undefined ? undefined : this.#baselines.get(factName(watched));
    if (watched === undefined || baseline === undefined) return;
    const calls = (this.#calls.get(factName(watched)) ?? 0) + 1;
    this.#calls.set(factName(watched), calls);
    const { runId } = request;
    if (renamed(baseline, returnedModel))
      this.#once(watched, () => this.#close(runId, watched, 'The returned name', baseline.returnedModel, returnedModel));
    else if (calls % (this.#options.everyCalls ?? EVERY_CALLS) === 0 || isNewFingerprint(baseline, fingerprint))
      this.#once(watched, () => this.#check(watched, runId));
  }

  /** A person resumed after a drift pause: what comes next is the new baseline. */
  async accept(): Promise<void> {
    for (const watched of this.#options.roles) await this.#keep(watched, { ...NEW, asked: (await this.#load(watched)).asked });
  }

  /** Settles when the canaries under way have ended. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  #once(watched: WatchedRole, work: () => Promise<void>): void {
    const name = factName(watched);
    if (this.#underWay.has(name)) return;
    const done = work()
      .catch((error: unknown) =>
        this.#options.notice(`Watching ${watched.model} failed: ${error instanceof Error ? error.message : 'unknown'}`),
      )
      .finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, done);
  }

  /** Asks once; when the reply moved, once more, since one odd reply is no drift. */
  async #check(watched: WatchedRole, runId: string): Promise<void> {
    const first = await this.#ask(watched, runId);
    if (first === null)
      return this.#options.notice(`The canary of ${watched.model} (${watched.role}) got no usable reply; only its name is watched.`);
    const baseline = await this.#load(watched);
    if (renamed(baseline, first.returnedModel))
      return this.#close(runId, watched, 'The returned name', baseline.returnedModel, first.returnedModel);
    if (baseline.canary !== null && first.answer !== baseline.canary) {
      const second = await this.#ask(watched, runId);
      if (second !== null && second.answer !== baseline.canary) {
        const fingerprints = `fingerprint ${baseline.fingerprints.at(-1) ?? 'none'}, now ${second.fingerprint ?? 'none'}`;
        return this.#close(runId, watched, `The canary reply (${fingerprints})`, baseline.canary, second.answer);
      }
    }
    const { asked } = await this.#load(watched);
    const isNew = isNewFingerprint(baseline, first.fingerprint);
    if (isNew && baseline.fingerprints.length > 0)
      this.#options.notice(
        `${watched.model} (${watched.role}) is now served with fingerprint ${first.fingerprint ?? 'none'}; its canary did not move.`,
      );
    const fingerprints = [...baseline.fingerprints, ...(isNew && first.fingerprint !== null ? [first.fingerprint] : [])].slice(
      -MOST_FINGERPRINTS,
    );
    const returnedModel = baseline.returnedModel ?? first.returnedModel;
    await this.#keep(watched, { returnedModel, fingerprints, canary: baseline.canary ?? first.answer, asked });
  }

  async #ask(
    watched: WatchedRole,
    runId: string,
  ): Promise<{ readonly answer: string; readonly returnedModel: string | null; readonly fingerprint: string | null } | null> {
    const baseline = await this.#load(watched);
    await this.#keep(watched, { ...baseline, asked: baseline.asked + 1 });
    const request = canaryRequest(watched, runId, baseline.asked);
    const outcome = await this.#options.client.call(request, canaryValidator);
    if (outcome.kind !== 'reply') return null;
    const attempt = (await this.#options.attemptsOf(request.key)).at(-1);
    return { answer: canaryAnswer(outcome.text), returnedModel: attempt?.returnedModel ?? null, fingerprint: attempt?.fingerprint ?? null };
  }

  #close(runId: string, watched: WatchedRole, what: string, before: string | null, now: string | null): Promise<void> {
    const who = `${watched.model} at ${watched.provider} (${watched.role})`;
    const detail = `${what} of ${who} changed from ${before ?? 'none'} to ${now ?? 'none'}; type: memcalib resume to accept it.`;
    return this.#options.gate.close('drift', detail, null, runId);
  }

  async #load(watched: WatchedRole): Promise<Baseline> {
    const name = factName(watched);
    const known = this.#baselines.get(name);
    if (known !== undefined) return known;
    const stored = await this.#options.readFact(name);
    const baseline = stored === null ? NEW : Baseline.parse(JSON.parse(stored));
    this.#baselines.set(name, baseline);
    return baseline;
  }

  async #keep(watched: WatchedRole, baseline: Baseline): Promise<void> {
    this.#baselines.set(factName(watched), baseline);
    await this.#options.writeFact(factName(watched), JSON.stringify(baseline));
  }
}

function factName({ role, provider, model }: WatchedRole): string {
  return `drift/${role}/${provider}/${model}`;
}

function renamed(baseline: Baseline, returnedModel: string | null): boolean {
  return baseline.returnedModel !== null && returnedModel !== null && returnedModel !== baseline.returnedModel;
}

function isNewFingerprint(baseline: Baseline, fingerprint: string | null): boolean {
  return fingerprint !== null && !baseline.fingerprints.includes(fingerprint);
}
