/** Limits of a group: how long a first writer waits for company, and how many jobs or how much weight one transaction takes. */
export interface GroupLimits {
  /** Milliseconds, at most 15 (DESIGN §4). */
  readonly lingerMs: number;
  /** A group closes early at this many jobs. */
  readonly maxJobs: number;
  /** A group takes no further job beyond this weight (rows). */
  readonly maxWeight: number;
}

interface Waiting<Job> {
  readonly kind: 'job';
  readonly job: Job;
  readonly weight: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Alone {
  readonly kind: 'alone';
  readonly run: () => Promise<void>;
}

/**
 * Queues writers; one `commit` takes what waits, in order.
 * When a group fails, its jobs are tried one by one, so that each writer gets its own error and a bad job hurts nobody else.
 */
export class GroupCommit<Job> {
  private readonly queue: (Waiting<Job> | Alone)[] = [];
  private running = false;
  private linger: NodeJS.Timeout | null = null;

  private readonly commit: (jobs: readonly Job[]) => Promise<void>;
  private readonly limits: GroupLimits;

  constructor(commit: (jobs: readonly Job[]) => Promise<void>, limits: GroupLimits) {
    this.commit = commit;
    this.limits = limits;
  }

  /** Resolves once the job is durable. */
  write(job: Job, weight: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ kind: 'job', job, weight, resolve, reject });
      this.wake();
    });
  }

  /** Runs something between two groups, when everything queued before it is done. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.queue.push({ kind: 'alone', run: () => run().then(resolve, reject) });
      this.wake();
    });
  }

  private wake(): void {
    if (this.running) return;
    if (this.queue.length >= this.limits.maxJobs || this.queue[0]?.kind === 'alone') {
      void this.drain();
      return;
    }
    if (this.queue.length > 0) this.linger ??= setTimeout(() => void this.drain(), this.limits.lingerMs);
  }

  private async drain(): Promise<void> {
    if (this.linger !== null) clearTimeout(this.linger);
    this.linger = null;
    this.running = true;
    const next = this.take();
    const [first] = next;
    if (first?.kind === 'alone') await first.run();
    else await this.commitGroup(next.filter((item) => item.kind === 'job'));
    this.running = false;
    this.wake();
  }

  private take(): (Waiting<Job> | Alone)[] {
    if (this.queue[0]?.kind === 'alone') return this.queue.splice(0, 1);
    let count = 0;
    let weight = 0;
    for (const item of this.queue) {
      if (item.kind === 'alone' || count >= this.limits.maxJobs) break;
      if (count > 0 && weight + item.weight > this.limits.maxWeight) break;
      count += 1;
      weight += item.weight;
    }
    return this.queue.splice(0, count);
  }

  private async commitGroup(group: readonly Waiting<Job>[]): Promise<void> {
    try {
      await this.commit(group.map((waiting) => waiting.job));
      for (const waiting of group) waiting.resolve();
    } catch (error) {
      const [only] = group;
      if (group.length === 1 && only !== undefined) {
        only.reject(error);
        return;
      }
      for (const waiting of group) await this.commitGroup([waiting]);
    }
  }
}
