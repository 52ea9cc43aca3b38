import type { Domain } from '../schemas/levels.ts';
import type { StageId } from '../schemas/steps.ts';

/** Temporal carries ids, counts and small parameters only; no text ever enters a history (DESIGN §4). */
export interface BuildInput {
  readonly runId: string;
  readonly label: string;
  /** Whether the server knows the search attributes MemcalibRun and MemcalibStage. */
  readonly searchable: boolean;
  /** Chunks finished before the last continue-as-new. */
  readonly chunksDone?: number;
  /** Chunks after which the workflow continues as new (default 150). */
  readonly chunksPerRun?: number;
}

/** Candidates of one domain by their places in the order; a chunk skips those that already have a final verdict. */
export interface ChunkRef {
  readonly domain: Domain;
  readonly positions: readonly number[];
}

export interface ChunkInput {
  readonly runId: string;
  readonly chunk: ChunkRef;
  readonly searchable: boolean;
}

export interface StageInput {
  readonly runId: string;
  readonly chunk: ChunkRef;
  readonly stage: StageId;
}

/** How a stage of a chunk ended. `paused` is a durable stop, never a failure. */
export type StageResult =
  | {
      readonly kind: 'done';
      readonly alive: number;
      readonly failed: number;
      /** Candidates that wait for a batch; absent in histories of before there were batches. */
      readonly batched?: number;
    }
  | { readonly kind: 'paused'; readonly reason: string; readonly until: number | null };

export type ChunkResult =
  | { readonly kind: 'done'; readonly failed: number; readonly batched?: number }
  | { readonly kind: 'paused'; readonly reason: string; readonly until: number | null };

/** What the launch planner decides: chunks to start now, or how the build stands when nothing is left to start. */
export interface LaunchPlan {
  readonly launch: readonly ChunkRef[];
  readonly accepted: Readonly<Record<Domain, number>>;
  readonly verdict: 'working' | 'complete' | 'dry' | 'stuck';
  /** For `stuck`: what stands in the way, one sentence with the command to type. */
  readonly reason: string;
}

export interface BuildProgress {
  readonly state: 'starting' | 'running' | 'waiting' | 'paused' | 'draining' | 'finished' | 'cancelled';
  readonly reason: string;
  readonly until: number | null;
  readonly chunksDone: number;
  readonly chunksInFlight: number;
  readonly accepted: Readonly<Record<Domain, number>>;
}

/** How a build ended. */
export interface BuildResult {
  readonly state: 'completed' | 'dry' | 'cancelled';
  readonly accepted: Readonly<Record<Domain, number>>;
}

/** What a look at the batches came to. `ready`: chunks that waited can go on. */
export type BatchesResult =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'waiting';
      readonly sentence: string;
      readonly pollAfterMs: number;
      /** When it is looked again; null when only a person can answer. */
      readonly until: number | null;
    }
  | { readonly kind: 'paused'; readonly reason: string; readonly until: number | null };

/** The activities of construction, as workflows see them. */
export interface BuildActivities {
  /** Reads and orders the sources (once per order id) and records the run as running. */
  prepareBuild(input: { readonly runId: string }): Promise<void>;
  planLaunch(input: { readonly runId: string; readonly inFlight: readonly ChunkRef[] }): Promise<LaunchPlan>;
  runStage(input: StageInput): Promise<StageResult>;
  /** Takes in what batches answered, or sends what is queued. `asked`: a person said to go on with what is there. */
  tendBatches(input: { readonly runId: string; readonly asked: boolean }): Promise<BatchesResult>;
  recordState(input: {
    readonly runId: string;
    readonly state: 'running' | 'waiting' | 'paused' | 'completed' | 'dry' | 'cancelled' | 'failed';
    readonly reason: string;
    readonly until: number | null;
    /** The stop is a closed gate: once that is open again (a full disk made the record wait) there is nothing to record. */
    readonly atGate?: boolean;
  }): Promise<void>;
  /** Resolves when the gate of the run is open at this moment; else says why not. */
  checkGate(input: {
    readonly runId: string;
  }): Promise<{ readonly closed: boolean; readonly reason: string; readonly until: number | null }>;
}
