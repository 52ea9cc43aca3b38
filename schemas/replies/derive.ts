import { z } from 'zod';
import { QuoteReply } from '../span.ts';

/** Something left out on purpose: it may stand neither in the query nor in a memory. */
export const DroppedFact = z.strictObject({ text: z.string().max(400), reason: z.string().max(300) });
export type DroppedFact = z.infer<typeof DroppedFact>;

/** Reply of step `derive` (SPEC §4.2). `speaker` of evidence is resolved by code from the field. */
export const DeriveReply = z.strictObject({
  query: z.string().max(2000),
  /** Terms of at most six words that stay in the query because they are what is asked about. */
  request_terms: z.array(z.string().max(80)).max(6),
  passages: z.array(z.strictObject({ title: z.string().max(80), text: z.string().max(1500), evidence: z.array(QuoteReply).max(8) })).max(6),
  dropped: z.array(DroppedFact).max(20),
});
export type DeriveReply = z.infer<typeof DeriveReply>;
