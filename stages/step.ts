import type { z } from 'zod';
import type { JsonObject } from '../schemas/json.ts';
import type { StageId, StepId } from '../schemas/steps.ts';
import type { Flag, Workpiece } from '../schemas/workpiece.ts';

/**
 * One request of a step. `payload` becomes the only user message (as JSON); the system message is the step's prompt.
 * Part ids are stable: `main`, a block id, a slot range, a family, or a reviewer role.
 */
export interface PartRequest {
  readonly partId: string;
  readonly payload: JsonObject;
  /** Cap on reply tokens when it depends on the input; else the prompt's front matter holds. */
  readonly maxTokens?: number;
}

/** Feedback of a repair turn: the rule and the path it names; sent back to the model, never hinting at a wanted label. */
export interface RepairNote {
  readonly partId: string;
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

/** What a step decides about the replies it has. */
export type StepVerdict<Output> =
  | { readonly kind: 'accepted'; readonly output: Output; readonly flags: readonly Flag[] }
  | { readonly kind: 'rejected'; readonly reason: string; readonly detail: string; readonly partId?: string }
  | { readonly kind: 'repair'; readonly notes: readonly RepairNote[] }
  | { readonly kind: 'more'; readonly parts: readonly PartRequest[] }
  /** A reviewer answered `cannot_tell` or nothing usable: neither approval nor rejection; asked again as the next sample (at most 2 times). */
  | { readonly kind: 'noVerdict'; readonly partIds: readonly string[] };

/** A parsed reply of a part and how it came about. */
export interface PartReply<Reply> {
  readonly reply: Reply;
  /** True once the part has used its one repair turn. */
  readonly repaired: boolean;
}

/**
 * A step of the pipeline: plain data plus pure functions (DESIGN §4).
 * `input` picks what the step depends on; its canonical hash decides staleness, so it must hold nothing else.
 */
export interface StepDefinition<Input = unknown, Reply = unknown, Output = unknown> {
  readonly id: StepId;
  readonly stage: StageId;
  readonly replySchema: z.ZodType<Reply>;
  /** Bumped by hand whenever a check of this step changes its decisions (guarded by a test over the files it names). */
  readonly checkNumber: number;
  /** Files whose content the check number covers, relative to the repository root. */
  readonly checkFiles: readonly string[];
  /** Throws when the workpiece lacks an earlier output: a programming error, not a user's. */
  input(workpiece: Workpiece): Input;
  requests(input: Input): readonly PartRequest[];
  accept(input: Input, replies: ReadonlyMap<string, PartReply<Reply>>): StepVerdict<Output>;
  /** Puts the output (and anything code draws after it) into the workpiece. */
  apply(workpiece: Workpiece, output: Output): Workpiece;
}

/** Erases the type parameters so that steps of different shapes fit one catalog; parsing keeps replies honest. */
export function defineStep<Input, Reply, Output>(step: StepDefinition<Input, Reply, Output>): StepDefinition {
  return step;
}
