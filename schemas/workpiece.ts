import type { Candidate } from './candidate.ts';
import type { Action, AtomKind, HardFamily, Level } from './levels.ts';
import type { UsageRubric } from './record.ts';
import type { DroppedFact } from './replies/derive.ts';
import type { ScreenReply } from './replies/screen.ts';
import type { Span } from './span.ts';

/** A soft finding of a deterministic check: recorded, counted, never decisive on its own. */
export interface Flag {
  readonly rule: string;
  /** Atom key, block id or part id. */
  readonly where: string;
  readonly detail: string;
}

/** Output of `screen`: kept for the record; only admitted candidates have one. */
export interface ScreenOutput {
  readonly dimensions: ScreenReply;
}

export interface Passage {
  readonly title: string;
  readonly text: string;
  readonly evidence: readonly Span[];
}

export interface DeriveOutput {
  readonly query: string;
  readonly requestTerms: readonly string[];
  readonly passages: readonly Passage[];
  readonly dropped: readonly DroppedFact[];
}

/** An atom from the source row. Keys are `s1`, `s2`, ... in reply order; they never leave construction. */
export interface SourceAtom {
  readonly key: string;
  /** 1-based number of its passage. */
  readonly passage: number;
  readonly text: string;
  readonly evidence: readonly Span[];
  readonly level: Level;
  readonly action: Action;
  readonly kind: AtomKind;
  readonly reason: string;
  readonly without: string;
  readonly with: string;
}

export interface AtomizeOutput {
  readonly atoms: readonly SourceAtom[];
  readonly dropped: readonly DroppedFact[];
}

export interface HardDistractorOutput {
  readonly family: HardFamily;
  readonly text: string;
  readonly kind: AtomKind;
  readonly temptingSentence: string;
  readonly anchor: { readonly where: string; readonly quote: string };
  readonly whyNotApplicable: string;
}

/** Texts of the auxiliary A atoms by slot key `x1`, `x2`, ... */
export interface AuxiliaryOutput {
  readonly texts: Readonly<Record<string, string>>;
}

/** Rubrics by atom key (`s1`, `h1`, `x1`, ...), complete in the published shape. */
export interface RubricsOutput {
  readonly rubrics: Readonly<Record<string, UsageRubric>>;
}

/** Memory texts by block id (`b1`, ...), single-atom blocks included (byte-equal to the atom). */
export interface NaturalizeOutput {
  readonly memoryTexts: Readonly<Record<string, string>>;
}

/** Output of a review step: approvals only (a rejection is the verdict of the step). */
export interface ReviewOutput {
  readonly approvedBy: readonly string[];
}

/** The seeded block plan of an example (SPEC §4.5): block ids in final order, atom keys in final order inside each block. */
export interface BlockPlan {
  readonly level: 1 | 2 | 3;
  readonly redraws: number;
  /** `seats` hold keys: `s<n>` source atoms, `h1` the hard atom, `x<n>` auxiliary slots, numbered in seat order. */
  readonly blocks: readonly { readonly id: string; readonly seats: readonly string[] }[];
}

/** Everything known about a candidate so far; each step reads what it needs and adds its output. */
export interface Workpiece {
  readonly seed: string;
  readonly candidate: Candidate;
  readonly screen?: ScreenOutput;
  readonly derive?: DeriveOutput;
  readonly atomize?: AtomizeOutput;
  /** Drawn by code between `atomize` and `hard-distractor`. */
  readonly plan?: BlockPlan;
  readonly hardDistractor?: HardDistractorOutput;
  readonly auxiliary?: AuxiliaryOutput;
  readonly rubrics?: RubricsOutput;
  readonly naturalize?: NaturalizeOutput;
  readonly reviewFidelity?: ReviewOutput;
  readonly reviewCalibration?: ReviewOutput;
}
