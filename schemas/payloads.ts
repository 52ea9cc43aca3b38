import type { Action, Domain, HardFamily, Level } from './levels.ts';
import type { RolloutLine } from './judging.ts';
import type { UsageRubric } from './record.ts';
import type { DroppedFact } from './replies/derive.ts';
import type { Speaker } from './source-row.ts';

/** What the one user message of each step holds, as JSON. `task` names the step. Row text stands only in these values. */
export interface FieldText {
  readonly field: string;
  readonly speaker: Speaker;
  readonly text: string;
}

export interface ScreenPayload {
  readonly task: 'screen';
  readonly domain: Domain;
  readonly context: readonly FieldText[];
  readonly question: string;
  readonly answer: string;
}

export interface DerivePayload {
  readonly task: 'derive';
  readonly domain: Domain;
  readonly context: readonly FieldText[];
  readonly question: string;
  readonly reference_answer: string;
}

export interface AtomizePayload {
  readonly task: 'atomize';
  readonly domain: Domain;
  readonly query: string;
  readonly request_terms: readonly string[];
  readonly passages: readonly {
    readonly passage: number;
    readonly title: string;
    readonly text: string;
    readonly evidence: readonly { readonly field: string; readonly speaker: Speaker; readonly quote: string }[];
  }[];
  readonly dropped: readonly DroppedFact[];
}

export interface HardDistractorPayload {
  readonly task: 'hard-distractor';
  readonly domain: Domain;
  readonly family: HardFamily;
  readonly query: string;
  readonly atoms: readonly { readonly atom: string; readonly text: string; readonly level: Level; readonly action: Action }[];
  /** Facts left out of query and memory: the distractor may not bring them back. */
  readonly left_out: readonly string[];
}

export interface AuxiliarySlot {
  readonly slot: string;
  /** Number of words aimed at. */
  readonly words: number;
  readonly holds: 'number' | 'name' | 'neither';
}

export interface AuxiliaryPayload {
  readonly task: 'auxiliary-distractors';
  readonly domain: Domain;
  readonly query: string;
  readonly atoms: readonly { readonly atom: string; readonly text: string; readonly level: Level }[];
  readonly left_out: readonly string[];
  readonly blocks: readonly {
    readonly block: string;
    /** Keys of atoms that already sit in this block. */
    readonly seated: readonly string[];
    readonly scene: { readonly area: string; readonly kind: string; readonly person: string };
    readonly slots: readonly AuxiliarySlot[];
  }[];
}

export interface RubricsPayload {
  readonly task: 'rubrics';
  readonly domain: Domain;
  readonly query: string;
  /** `without` and `with` of source atoms, the tempting sentence of the hard one; null where there is none. */
  readonly atoms: readonly {
    readonly atom: string;
    readonly text: string;
    readonly level: Level;
    readonly action: Action;
    readonly without: string | null;
    readonly with: string | null;
    readonly tempting_sentence: string | null;
  }[];
  /** Keys to write for, at most 16; the other atoms are shown so that criteria set neighbours apart. */
  readonly write_for: readonly string[];
}

export interface NaturalizePayload {
  readonly task: 'naturalize';
  readonly atoms: readonly { readonly n: number; readonly text: string }[];
}

export interface ReviewFidelityPayload {
  readonly task: 'review-fidelity';
  readonly domain: Domain;
  readonly context: readonly FieldText[];
  readonly question: string;
  readonly atoms: readonly { readonly atom: string; readonly text: string }[];
}

export interface ReviewCalibrationPayload {
  readonly task: 'review-calibration';
  readonly domain: Domain;
  readonly query: string;
  readonly blocks: readonly { readonly block: string; readonly memory_text: string; readonly atoms: readonly string[] }[];
  readonly atoms: readonly {
    readonly atom: string;
    readonly block: string;
    readonly text: string;
    readonly level: Level;
    readonly action: Action;
    readonly rubric: UsageRubric;
  }[];
}

/** What the judge of answers sees of one response: all atoms with their ideal level and rubric (SPEC §7, profile `paper`). */
export interface JudgePayload extends Pick<RolloutLine, 'current_query' | 'model_facing_memory' | 'model_response' | 'atomic_rubrics'> {
  readonly task: 'judge';
}
