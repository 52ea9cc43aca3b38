import { z } from 'zod';
import { Speaker } from './source-row.ts';

/**
 * A quote resolved by code to exact offsets: `text of field`.slice(start, end) === quote (UTF-16 units).
 * Fields are named `question`, `answer` and `context.1`, `context.2`, ... (1-based turn).
 */
export const Span = z.strictObject({
  field: z.string().regex(/^(question|answer|context\.[1-9]\d*)$/),
  speaker: Speaker,
  quote: z.string().min(1),
  start: z.int().nonnegative(),
  end: z.int().positive(),
});
export type Span = z.infer<typeof Span>;

/** A quote as a model gives it, before code resolves it. */
export const QuoteReply = z.strictObject({ field: z.string().max(20), quote: z.string().max(600) });
export type QuoteReply = z.infer<typeof QuoteReply>;
