import { z } from 'zod';
import { QuoteReply } from '../span.ts';

export const SCREEN_DIMENSIONS = [
  'question_completeness',
  'answer_relevance',
  'answer_substance',
  'safety_plausibility',
  'memory_extractability',
  'text_integrity',
] as const;

/** One dimension of semantic screening: a verdict with an exact quote of the row and one clause of reason. */
export const ScreenDimension = z.strictObject({
  verdict: z.enum(['pass', 'uncertain', 'reject']),
  evidence: QuoteReply,
  reason: z.string().max(300),
});
export type ScreenDimension = z.infer<typeof ScreenDimension>;

/** Reply of step `screen` (SPEC §4.1). */
export const ScreenReply = z.strictObject({
  question_completeness: ScreenDimension,
  answer_relevance: ScreenDimension,
  answer_substance: ScreenDimension,
  safety_plausibility: ScreenDimension,
  memory_extractability: ScreenDimension,
  text_integrity: ScreenDimension,
});
export type ScreenReply = z.infer<typeof ScreenReply>;
