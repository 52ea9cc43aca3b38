import type { BatchStore } from '../schemas/batch.ts';
import type { Candidate, PlacedCandidate } from '../schemas/candidate.ts';
import type { LineageStore, ReleaseMember } from './lineage-port.ts';
import type { CallClass, CallContent, LedgerStore } from '../schemas/ledger.ts';
import type { Domain } from '../schemas/levels.ts';
import type { LastingShelf, OrderMakings } from '../schemas/row-shelf.ts';
import type { RowRejection, SourceRow } from '../schemas/source-row.ts';
import type { StepId } from '../schemas/steps.ts';
import type { Flag } from '../schemas/workpiece.ts';
import type { PlanningStore } from './planning-port.ts';

/** A build or other paid activity. Ids are chosen by the caller. `config` and `identity` are JSON texts without secrets. */
export interface RunRow {
  readonly id: string;
  readonly label: string;
  /** `sample`: rows of an edit that `plan --sample` asked; no build, and never the latest run of its label. */
  readonly kind: 'build' | 'sample';
  readonly pipelineHash: string;
  readonly orderId: string;
  readonly seed: string;
  readonly config: string;
  readonly startedAt: number;
}

/** Append-only history of a run's state; the latest row is the state. */
export interface RunStateRow {
  readonly runId: string;
  /** `waiting`: for batches that are out, and nothing else is left to do. */
  readonly state: 'running' | 'waiting' | 'paused' | 'completed' | 'dry' | 'cancelled' | 'failed';
  readonly reason: string;
  /** Milliseconds since the epoch when a pause ends or a waiting run looks again by itself; null when a person must act. */
  readonly until: number | null;
  readonly at: number;
}

/** Verdict of one step on one candidate under one step version and input (DESIGN §5). First stored wins. */
export interface StepOutputRow {
  readonly candidateId: string;
  readonly step: StepId;
  readonly stepVersion: string;
  readonly inputHash: string;
  readonly verdict: 'accepted' | 'rejected';
  /** Reason code when rejected. */
  readonly reason: string | null;
  readonly detail: string | null;
  /** JSON text of the output when accepted. */
  readonly output: string | null;
  readonly flags: readonly Flag[];
  /** Ledger keys that led to this verdict, in order of use (repair turns included). */
  readonly callKeys: readonly string[];
  readonly runId: string;
  readonly at: number;
}

/** The end of a candidate under one pipeline hash. Append-only; the latest row per (candidate, pipeline hash, row hash) holds. */
export interface OutcomeRow {
  readonly candidateId: string;
  readonly pipelineHash: string;
  readonly rowHash: string;
  readonly status: 'accepted' | 'rejected' | 'failed' | 'no_verdict' | 'retry';
  /** Step that decided; the last one when accepted. `retry` reopens a failed candidate: it counts as pending. */
  readonly step: StepId;
  /** Reason code (rejected) or call class (failed); empty when accepted. */
  readonly reason: string;
  readonly detail: string;
  /** Final query (accepted only): what the acceptance fold compares. */
  readonly query: string | null;
  /** JSON text of the finished example without split and pipeline hash (accepted only). */
  readonly example: string | null;
  readonly callKeys: readonly string[];
  /** The accepted step outputs that led here, in order: one side of the books. */
  readonly trail: readonly Pick<StepOutputRow, 'candidateId' | 'step' | 'stepVersion' | 'inputHash'>[];
  readonly runId: string;
  readonly at: number;
}

/** An outcome as read back: its trail stays in the store. */
export type StoredOutcome = Omit<OutcomeRow, 'trail'>;

/** A candidate with the content hash of its row, as stored. */
export interface StoredCandidate {
  readonly candidate: Candidate;
  readonly rowHash: string;
}

/** Outcome of a candidate at its place in the order; `outcome` null while pending. `example` is left out (read by id). */
export interface PositionOutcome {
  readonly position: number;
  readonly candidateId: string;
  readonly source: string;
  readonly stratum: string;
  readonly rowHash: string;
  readonly outcome: Omit<StoredOutcome, 'example' | 'callKeys'> | null;
  readonly waived: boolean;
}

/** A durable stop that every limiter obeys: one row per scope, the latest holds. */
export interface GateRow {
  /** Label of the build, or `*` for all. */
  readonly scope: string;
  readonly closed: boolean;
  /** `person`, `budget`, `quota`, `no_credit`, `disk`, `parse_rate`, `drift`. */
  readonly reason: string;
  readonly detail: string;
  readonly until: number | null;
  readonly at: number;
}

/** What the ingest of sources found; counts per source and reason come from `rowRejectionCounts`. */
export interface OrderRow {
  /** Hash of sources, screening parameters, seed and stored weights. */
  readonly id: string;
  readonly createdAt: number;
  /** JSON text: per source file hashes, rows read, weights per stratum. */
  readonly facts: string;
}

/** Which calls are wanted; absent fields do not matter. `class` may also be `open`: sent, and never heard of again. */
export interface CallFilter {
  readonly runId?: string;
  readonly step?: string;
  readonly candidateId?: string;
  readonly class?: string;
  readonly keyPrefix?: string;
  readonly beforeCallNo?: number;
}

/** One attempt in a list of calls: no text of requests or replies. */
export interface CallLine {
  readonly callNo: number;
  readonly key: string;
  readonly attempt: number;
  readonly runId: string;
  readonly step: string;
  readonly partId: string;
  readonly candidateId: string;
  readonly role: string;
  readonly turn: string;
  readonly provider: string;
  readonly model: string;
  readonly intendedAt: number;
  /** Null while open. */
  readonly class: CallClass | null;
  readonly finishReason: string | null;
  readonly costMicroUsd: number | null;
  readonly latencyMs: number | null;
  readonly message: string | null;
}

/** Spending of one run, role, step and UTC day. */
export interface CostGroup {
  readonly runId: string;
  readonly role: string;
  readonly step: string;
  readonly day: string;
  readonly calls: number;
  readonly microUsd: number;
  readonly unknownCalls: number;
  readonly freshInput: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly repaidCalls: number;
  readonly repaidMicroUsd: number;
}

/** What was sent under a key, and the raw body each attempt got. */
export interface CallTexts {
  readonly request: CallContent;
  readonly replies: readonly { readonly attempt: number; readonly replyText: string | null; readonly rawBody: string | null }[];
}

/** One project's durable memory. Reads of many rows are paged; writes resolve after their commit. Errors are StoreError. */
export interface Store {
  readonly ledger: LedgerStore;
  readonly lineage: LineageStore;
  readonly planning: PlanningStore;
  readonly batches: BatchStore;

  /** Where rows are put before an order names them. */
  readonly rows: LastingShelf & { readonly rest: () => Promise<void> };
  /** Stores an order of rows that were put aside in `rows`. */
  putOrder(
    order: OrderRow,
    candidates: AsyncIterable<readonly PlacedCandidate[]>,
    rejections: AsyncIterable<readonly RowRejection[]>,
    makings?: OrderMakings,
  ): Promise<void>;
  order(id: string): Promise<OrderRow | null>;
  latestOrder(): Promise<OrderRow | null>;
  /** Candidates of a domain at positions [from, to), in order. */
  candidates(orderId: string, domain: Domain, from: number, to: number): Promise<readonly StoredCandidate[]>;
  candidateById(orderId: string, candidateId: string): Promise<StoredCandidate | null>;
  candidateCounts(orderId: string): Promise<readonly { readonly domain: Domain; readonly source: string; readonly count: number }[]>;
  /** Last position of each source of a domain. */
  lastPositions(orderId: string, domain: Domain): Promise<readonly { readonly source: string; readonly position: number }[]>;
  rowRejectionCounts(orderId: string): Promise<readonly { readonly source: string; readonly reason: string; readonly count: number }[]>;
  rowRejections(orderId: string): AsyncIterable<readonly RowRejection[]>;
  sourceRow(orderId: string, sourceId: string): Promise<SourceRow | null>;

  startRun(run: RunRow): Promise<void>;
  run(id: string): Promise<RunRow | null>;
  latestRun(label?: string): Promise<RunRow | null>;
  runs(): Promise<readonly RunRow[]>;
  putRunState(state: RunStateRow): Promise<void>;
  runState(runId: string): Promise<RunStateRow | null>;

  /** Stored verdicts for the asked (candidate, step, version, input) tuples; absent ones are left out. One query. */
  stepOutputs(
    wanted: readonly Pick<StepOutputRow, 'candidateId' | 'step' | 'stepVersion' | 'inputHash'>[],
  ): Promise<readonly StepOutputRow[]>;
  putStepOutputs(rows: readonly StepOutputRow[]): Promise<void>;
  /** Counts of verdicts of a run's identity per step: for books and yields. */
  stepCounts(
    pipelineHash: string,
    orderId: string,
  ): Promise<
    readonly {
      readonly source: string;
      readonly step: StepId;
      readonly status: OutcomeRow['status'];
      readonly reason: string;
      readonly count: number;
    }[]
  >;

  /** Distinct candidates of an order with an accepted output of each step under the given versions: the other side of the books. */
  acceptedCounts(
    orderId: string,
    pipelineHash: string,
    versions: readonly { readonly step: StepId; readonly stepVersion: string }[],
  ): Promise<readonly { readonly source: string; readonly step: StepId; readonly count: number }[]>;

  /** Distinct candidates per source that have an output of the first step under this version, or an outcome under this pipeline. */
  startedCounts(
    orderId: string,
    pipelineHash: string,
    screenVersion: string,
  ): Promise<readonly { readonly source: string; readonly count: number }[]>;

  putOutcomes(rows: readonly OutcomeRow[]): Promise<void>;
  /** Latest outcomes at positions [from, to) of a domain, pending ones included. */
  outcomesAt(orderId: string, pipelineHash: string, domain: Domain, from: number, to: number): Promise<readonly PositionOutcome[]>;
  /** Full outcomes (with example and call keys) of the given candidates under their rows in the run's order, in the order asked. */
  outcomes(run: Pick<RunRow, 'orderId' | 'pipelineHash'>, candidateIds: readonly string[]): Promise<readonly StoredOutcome[]>;
  /** How often candidates were reopened for a reason, by the step that had ended them: rows of status `retry`. */
  retryCounts(
    pipelineHash: string,
    candidateIds: readonly string[],
    reason: string,
  ): Promise<readonly { readonly candidateId: string; readonly step: StepId; readonly count: number }[]>;
  waive(candidateIds: readonly string[], pipelineHash: string, runId: string): Promise<void>;

  /** One page of calls, latest first. */
  calls(filter: CallFilter, limit: number): Promise<readonly CallLine[]>;
  callTexts(key: string): Promise<CallTexts | null>;
  costs(): Promise<readonly CostGroup[]>;
  /** Answers a pipeline uses that a run other than this one paid for. */
  reused(pipelineHash: string, runId: string): Promise<{ readonly calls: number; readonly microUsd: number }>;

  setGate(gate: GateRow): Promise<void>;
  gate(scope: string): Promise<GateRow | null>;

  /** Records an export; `members` are its examples, so that each can name the releases it is in. */
  putRelease(
    release: {
      readonly id: string;
      readonly runId: string;
      readonly manifest: string;
      readonly folder: string;
      readonly at: number;
    },
    members?: readonly ReleaseMember[],
  ): Promise<void>;
  releases(): Promise<
    readonly { readonly id: string; readonly runId: string; readonly manifest: string; readonly folder: string; readonly at: number }[]
  >;

  /** Small named facts of a project (strata weights, probe results, prices seen): JSON texts, latest wins. */
  putFact(name: string, value: string): Promise<void>;
  fact(name: string): Promise<string | null>;
  /** Latest values of all facts whose names begin with a prefix, by name. */
  facts(prefix: string): Promise<readonly { readonly name: string; readonly value: string }[]>;

  checkpoint(): Promise<void>;
  close(): Promise<void>;
}
