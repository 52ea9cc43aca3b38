import type { CallRole } from './steps.ts';

/** How a role's calls travel when they are not made one by one: by the provider's batch API, or as files that somebody answers. */
export type BatchTransportName = 'provider' | 'file';

/** Where a batch stands. `preparing` is written before anything leaves; only `preparing` and `submitted` hold their calls back. */
export const BATCH_STATES = ['preparing', 'submitted', 'ended', 'abandoned'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** A batch of calls. Append-only; the latest row of an id holds. */
export interface BatchRow {
  readonly id: string;
  readonly runId: string;
  readonly role: CallRole;
  readonly state: BatchState;
  readonly provider: string;
  readonly transport: BatchTransportName;
  /** Folder of a file batch as the config names it; null: `batches` in the project folder. */
  readonly folder: string | null;
  readonly pollSeconds: number;
  /** The provider's own id once it is known. */
  readonly remoteId: string | null;
  readonly requests: number;
  /** Worst cost by step in micro-USD, set aside under the caps while the batch is out. */
  readonly worstMicroUsd: Readonly<Record<string, number>>;
  /** How it ended, one sentence; empty while it is out. */
  readonly note: string;
  readonly createdAt: number;
  readonly at: number;
}

/** A call of a batch: its open attempt in the ledger. */
export interface BatchCall {
  readonly key: string;
  readonly attempt: number;
}

/** The durable half of batches; every write resolves after its commit. */
export interface BatchStore {
  put(batch: BatchRow): Promise<void>;
  putCalls(batchId: string, calls: readonly BatchCall[]): Promise<void>;
  calls(batchId: string): Promise<readonly BatchCall[]>;
  /** Batches whose calls are held back, oldest first. */
  out(): Promise<readonly BatchRow[]>;
  /** How many batches a run has made, whatever became of them. */
  countOf(runId: string): Promise<number>;
}
