import { z } from 'zod';
import { Domain } from './levels.ts';

/** Who said a context turn. Facts about the user come from `user` turns only (SPEC §4.2). */
export const Speaker = z.enum(['user', 'assistant', 'other']);
export type Speaker = z.infer<typeof Speaker>;

export const ContextTurn = z.strictObject({ speaker: Speaker, text: z.string() });
export type ContextTurn = z.infer<typeof ContextTurn>;

/** One question-answer pair of a source dataset after its adapter: normalised text, native fields in `metadata`. */
export const SourceRow = z.strictObject({
  /** Name of the source entry in the config (unique there). */
  source: z.string().min(1),
  /** Hub id or the name of a custom dataset. */
  sourceDataset: z.string().min(1),
  /** Stable and unique over all sources, `<dataset>:<split>:<native id>`. */
  sourceId: z.string().min(1),
  sourceRevision: z.string().min(1),
  /** SPDX identifier or `unknown`. */
  sourceLicense: z.string().min(1),
  attribution: z.string(),
  /** Rows of one group never stand on both sides of a split (SPEC §2). */
  groupKey: z.string().min(1),
  domain: Domain,
  question: z.string().min(1),
  /** What was said before the question, oldest first; may be empty. */
  context: z.array(ContextTurn),
  answer: z.string().min(1),
  /** File and 1-based row the pair came from, for messages to people. */
  origin: z.strictObject({ file: z.string(), row: z.int().positive() }),
  metadata: z.record(z.string(), z.json()),
});
export type SourceRow = z.infer<typeof SourceRow>;

/** A row that never became a source row or fell out of deterministic screening: kept with its reason, never dropped silently. */
export const RowRejection = z.strictObject({
  source: z.string().min(1),
  sourceDataset: z.string().min(1),
  /** The native id when known, else `<file>:<row>`. */
  sourceId: z.string().min(1),
  /** Reason code, e.g. `missing_answer`, `near_duplicate`. */
  reason: z.string().min(1),
  /** One sentence for a person; holds no row text. */
  detail: z.string(),
  origin: z.strictObject({ file: z.string(), row: z.int().positive() }),
});
export type RowRejection = z.infer<typeof RowRejection>;
