import { z } from 'zod';
import { Action, AtomKind, Level } from '../levels.ts';
import { QuoteReply } from '../span.ts';
import { DroppedFact } from './derive.ts';

/** Reply of step `atomize` (SPEC §4.3). `passage` is the 1-based number of the passage the atom comes from. */
export const AtomizeReply = z.strictObject({
  atoms: z
    .array(
      z.strictObject({
        passage: z.int(),
        text: z.string().max(400),
        evidence: z.array(QuoteReply).max(6),
        /** One clause each: what the expert answer says without and with the atom. */
        without: z.string().max(300),
        with: z.string().max(300),
        level: Level,
        action: Action,
        kind: AtomKind,
        reason: z.string().max(300),
      }),
    )
    .max(12),
  dropped: z.array(DroppedFact).max(20),
});
export type AtomizeReply = z.infer<typeof AtomizeReply>;
