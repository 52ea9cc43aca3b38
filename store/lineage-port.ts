import type { ExampleDigest } from '../metrics/example-digest.ts';
import type { StoredAttempt } from '../schemas/ledger.ts';
import type { StepId } from '../schemas/steps.ts';
import type { RowRejection } from '../schemas/source-row.ts';
import type { RunRow, StepOutputRow, StoredCandidate, StoredOutcome } from './port.ts';

/** A verdict with the key that trails name it by. */
export type KeyedStepOutput = StepOutputRow & { readonly key: string };

/** The same without its text: those of one candidate lie in as many blocks as it has verdicts, and unpacking them is most of a look. */
export type NarrowStepOutput = Omit<KeyedStepOutput, 'output'>;

/** An outcome with its place in time and the keys of the accepted verdicts that led to it; its example stays in the store. */
export type TracedOutcome = Omit<StoredOutcome, 'example'> & { readonly no: number; readonly trail: readonly string[] };

/** Where a row stands in one stored order. */
export interface RowPlace extends StoredCandidate {
  readonly orderId: string;
  readonly createdAt: number;
}

/** One example of a release: which split it went to. */
export interface ReleaseMember {
  readonly exampleId: string;
  readonly split: 'train' | 'test';
}

/** A sum of costs; calls whose price nobody knows are counted apart. */
export interface CostSum {
  readonly calls: number;
  readonly microUsd: number;
  readonly unknownCalls: number;
}

/** Which outcomes are meant: those of a pipeline under the rows of an order. */
export type RunScope = Pick<RunRow, 'orderId' | 'pipelineHash'>;

/** Questions about where things came from: whole histories of single rows, and sums over what a pipeline used. */
export interface LineageStore {
  /** Every verdict on a candidate, whatever the version, oldest first. */
  stepOutputs(candidateId: string): Promise<readonly KeyedStepOutput[]>;
  verdicts(candidateId: string): Promise<readonly NarrowStepOutput[]>;
  /** Every outcome of a candidate under every pipeline, oldest first. */
  outcomes(candidateId: string): Promise<readonly TracedOutcome[]>;
  /** Attempts made in the name of a candidate by their keys, in order of the first intent of each. */
  attempts(candidateId: string): Promise<ReadonlyMap<string, readonly StoredAttempt[]>>;
  /** Places of a row in all stored orders, oldest first, by candidate id or source id. */
  places(id: string): Promise<readonly RowPlace[]>;
  /** Rows set aside at ingest under this source id, latest order first. */
  rejectionsOf(sourceId: string): Promise<readonly (RowRejection & { readonly orderId: string })[]>;
  /** Candidate ids of an order that begin with a prefix, at most `limit`. */
  idsWithPrefix(orderId: string, prefix: string, limit: number): Promise<readonly string[]>;
  /** Candidate and source ids of an order most like a mistyped one, best first. */
  nearestIds(orderId: string, wrong: string, limit: number): Promise<readonly string[]>;
  /** A mark that changes whenever an outcome or a waiver of a pipeline is stored or dropped. */
  outcomeMark(pipelineHash: string): Promise<string>;
  /** Accepted outputs of one step on the trails of the latest outcomes of candidates. */
  trailOutputs(
    run: RunScope,
    step: StepId,
    candidateIds: readonly string[],
  ): Promise<readonly { readonly candidateId: string; readonly output: string }[]>;
  /** Every attempt under the keys that the outcomes of an order name: what its examples and its rejections cost. */
  costOf(run: RunScope): Promise<CostSum>;
  /** Digests of the latest accepted examples of a run, in the order they were stored; null where none was kept with the example. */
  digests(run: RunScope): Promise<readonly { readonly candidateId: string; readonly digest: ExampleDigest | null }[]>;
  /** Texts of the latest accepted examples of candidates, in the order they were stored. */
  examples(run: RunScope, candidateIds: readonly string[]): Promise<readonly { readonly candidateId: string; readonly example: string }[]>;
  /** Topic and complexity of each candidate of an order. */
  measures(
    orderId: string,
    candidateIds: readonly string[],
  ): Promise<readonly { readonly candidateId: string; readonly source: string; readonly topic: string; readonly complexity: string }[]>;
  /** Releases that contain an example, oldest first. */
  releasesOf(exampleId: string): Promise<readonly { readonly releaseId: string; readonly split: string }[]>;
}
