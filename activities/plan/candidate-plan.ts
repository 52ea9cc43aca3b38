import type { Domain } from '../../schemas/levels.ts';
import type { StepId } from '../../schemas/steps.ts';
import type { Known, Need } from '../../stages/plan/profile.ts';

/** A call that will be made for certain: which part of the first step that must ask. */
export interface CertainCall {
  readonly partId: string;
  /** Ledger key; null when no reply can be stored for it, so that it was not computed. */
  readonly key: string | null;
}

/** How a candidate ends without asking anything. */
export interface KnownEnd {
  readonly status: 'accepted' | 'rejected' | 'failed' | 'no_verdict';
  readonly reason: string;
  readonly query: string | null;
}

/** What is to be done for one candidate, found by walking its steps over stored outputs. */
export interface CandidatePlan extends Known {
  readonly candidateId: string;
  readonly domain: Domain;
  readonly position: number;
  readonly source: string;
  readonly calls: readonly CertainCall[];
  /** All parts of the first step that must ask, those included whose replies are stored. */
  readonly parts: number;
  /** Samples a reviewer may be asked for here. */
  readonly samples: number;
  readonly end: KnownEnd | null;
  /** How it ended under the pipeline it is compared with. */
  readonly before: 'accepted' | 'rejected' | 'other' | 'none';
  /** Most parts of the later steps that may run. */
  readonly laterParts: ReadonlyMap<StepId, number>;
  readonly needs: ReadonlyMap<StepId, Need>;
}
