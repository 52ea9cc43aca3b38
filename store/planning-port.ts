import type { Role, StepId } from '../schemas/steps.ts';
import type { OutcomeRow, StepOutputRow } from './port.ts';

/** How a candidate ended under a pipeline, with the keys of the accepted outputs that led there, in step order. */
export interface Trail {
  readonly candidateId: string;
  readonly rowHash: string;
  readonly status: OutcomeRow['status'];
  readonly step: StepId;
  readonly reason: string;
  readonly query: string | null;
  readonly keys: readonly string[];
}

/** What calls of a step took so far; token figures are per finished call. */
export interface CallMeasure {
  readonly step: StepId;
  readonly role: Role;
  /** Logical calls: distinct keys. `firsts` of them are no repair turns. */
  readonly keys: number;
  readonly firsts: number;
  readonly candidates: number;
  readonly calls: number;
  readonly inputMean: number;
  readonly inputDeviation: number;
  readonly inputMin: number;
  readonly inputMax: number;
  readonly outputMean: number;
  readonly outputDeviation: number;
  readonly outputMin: number;
  readonly outputMax: number;
  readonly latencyMeanMs: number;
}

/** How often a step, decided again for a candidate, came to something else than before. */
export interface ChangeCount {
  readonly step: StepId;
  readonly redone: number;
  readonly changed: number;
  /** The same over redone verdicts of the given versions only. */
  readonly redoneNow: number;
  readonly changedNow: number;
}

/** What one run did at a step. */
export interface RunWork {
  readonly step: StepId;
  /** Verdicts it made, and verdicts of earlier runs that its ends rest on. */
  readonly made: number;
  readonly reused: number;
  /** Logical calls: distinct keys it sent; attempts, and what they cost. */
  readonly keys: number;
  readonly attempts: number;
  readonly microUsd: number;
  readonly unknownCost: number;
}

/** Questions of the planner: one query each, nothing per call. */
export interface PlanningStore {
  /** Latest ends of candidates under a pipeline; those without one are left out. */
  trails(pipelineHash: string, candidateIds: readonly string[]): Promise<readonly Trail[]>;
  /** Verdicts by the keys that trails hold. */
  outputsByKey(keys: readonly string[]): Promise<readonly (StepOutputRow & { readonly key: string })[]>;
  /** The outputs alone of accepted verdicts by their keys, and which keys are stored at all. */
  outputTexts(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  storedKeys(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Step versions that any verdict stands under. */
  versionsInUse(): Promise<ReadonlySet<string>>;
  callMeasures(): Promise<readonly CallMeasure[]>;
  changeCounts(versions: readonly string[]): Promise<readonly ChangeCount[]>;
  /** Accepted examples of an order by the pipeline that made them; a candidate counts under the first of these pipelines that decided it. */
  acceptedByPipeline(
    orderId: string,
    pipelineHashes: readonly string[],
  ): Promise<readonly { readonly pipelineHash: string; readonly count: number }[]>;
  /** How the candidates of one order differ from those of another. */
  orderChange(
    beforeId: string,
    nowId: string,
  ): Promise<{ readonly added: number; readonly withdrawn: number; readonly changed: number; readonly moved: number }>;
  /** How candidates last ended under any pipeline and any text of their row; those that never did are left out. */
  earlierEnds(candidateIds: readonly string[]): Promise<ReadonlyMap<string, 'accepted' | 'rejected'>>;
  runWork(runId: string): Promise<readonly RunWork[]>;
  /** Waivers recorded under a pipeline. */
  waiverCount(pipelineHash: string): Promise<number>;
}
