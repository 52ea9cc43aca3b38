import { z } from 'zod';
import { AtomKind } from '../levels.ts';

/**
 * Reply of step `hard-distractor` (SPEC §4.4): either an atom or `cannot` with a reason; the other is null.
 * `anchor` quotes the query or an atom (named by its key) that forbids the tempting sentence.
 */
export const HardDistractorReply = z.strictObject({
  atom: z
    .strictObject({
      text: z.string().max(400),
      kind: AtomKind,
      tempting_sentence: z.string().max(400),
      anchor: z.strictObject({ where: z.string().max(20), quote: z.string().max(400) }),
      why_not_applicable: z.string().max(400),
      legitimate_use: z.enum(['none', 'bounded', 'direct']),
      gives_away: z.string().max(20),
    })
    .nullable(),
  cannot: z.string().max(400).nullable(),
});
export type HardDistractorReply = z.infer<typeof HardDistractorReply>;
