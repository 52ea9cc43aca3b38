/** What a model was asked for and how densely. */
export interface ModelLoad {
  readonly calls: number;
  readonly inFlight: number;
  readonly peakInFlight: number;
  readonly peakCallsPerMinute: number;
  readonly peakTokensPerMinute: number;
}

/** Counters of a rehearsal server since its start. */
export interface RehearsalStats {
  /** Chat completion requests received. */
  readonly calls: number;
  /** Requests answered without a fault. */
  readonly replies: number;
  readonly repairs: number;
  readonly errors: number;
  readonly tasks: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  /** By `step/name`, first turns only. */
  readonly imperfections: Readonly<Record<string, number>>;
  readonly models: Readonly<Record<string, ModelLoad>>;
}

interface Load {
  calls: number;
  inFlight: number;
  peakInFlight: number;
  peakCallsPerMinute: number;
  peakTokensPerMinute: number;
  tokensInMinute: number;
  readonly minute: { readonly at: number; readonly tokens: number }[];
}

const MINUTE_MS = 60_000;

/** Counts what a server does; `snapshot` is what `/stats` shows. */
export class StatsCounter {
  #calls = 0;
  #replies = 0;
  #repairs = 0;
  #errors = 0;
  readonly #tasks = new Map<string, number>();
  readonly #faults = new Map<string, number>();
  readonly #imperfections = new Map<string, number>();
  readonly #models = new Map<string, Load>();

  /** A request came in at a time (milliseconds) with an estimate of its tokens; call the result when its answer is out. */
  begin(model: string, tokens: number, at: number): () => void {
    this.#calls += 1;
    const load = this.#load(model);
    load.calls += 1;
    load.inFlight += 1;
    load.peakInFlight = Math.max(load.peakInFlight, load.inFlight);
    load.minute.push({ at, tokens });
    load.tokensInMinute += tokens;
    for (let first = load.minute[0]; first !== undefined && first.at <= at - MINUTE_MS; first = load.minute[0]) {
      load.tokensInMinute -= first.tokens;
      load.minute.shift();
    }
    load.peakCallsPerMinute = Math.max(load.peakCallsPerMinute, load.minute.length);
    load.peakTokensPerMinute = Math.max(load.peakTokensPerMinute, load.tokensInMinute);
    let isOpen = true;
    return () => {
      if (isOpen) load.inFlight -= 1;
      isOpen = false;
    };
  }

  /** A request that was no chat completion the server can answer. */
  error(): void {
    this.#errors += 1;
  }

  /** A request of a task; `turn` tells repairs from first turns. */
  task(task: string, isRepair: boolean, imperfection: string | null): void {
    increment(this.#tasks, task);
    if (isRepair) this.#repairs += 1;
    else if (imperfection !== null) increment(this.#imperfections, `${task}/${imperfection}`);
  }

  /** A request that got a fault instead of its reply, or its reply when `fault` is null. */
  outcome(fault: string | null): void {
    if (fault === null) this.#replies += 1;
    else increment(this.#faults, fault);
  }

  /** All counters as plain data. */
  snapshot(): RehearsalStats {
    const models = [...this.#models].map(([model, { calls, inFlight, peakInFlight, peakCallsPerMinute, peakTokensPerMinute }]) => {
      return [model, { calls, inFlight, peakInFlight, peakCallsPerMinute, peakTokensPerMinute }] as const;
    });
    return {
      calls: this.#calls,
      replies: this.#replies,
      repairs: this.#repairs,
      errors: this.#errors,
      tasks: sorted(this.#tasks),
      faults: sorted(this.#faults),
      imperfections: sorted(this.#imperfections),
      models: Object.fromEntries(models),
    };
  }

  #load(model: string): Load {
    const known = this.#models.get(model);
    if (known !== undefined) return known;
    const load: Load = {
      calls: 0,
      inFlight: 0,
      peakInFlight: 0,
      peakCallsPerMinute: 0,
      peakTokensPerMinute: 0,
      tokensInMinute: 0,
      minute: [],
    };
    this.#models.set(model, load);
    return load;
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sorted(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
