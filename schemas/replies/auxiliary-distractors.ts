import { z } from 'zod';

/** Reply of step `auxiliary-distractors` (SPEC §4.4): one atom per slot asked, by slot id; `gives_away` is `none` or an atom key. */
export const AuxiliaryDistractorsReply = z.strictObject({
  atoms: z.array(z.strictObject({ slot: z.string().max(20), text: z.string().max(400), gives_away: z.string().max(20) })).max(16),
});
export type AuxiliaryDistractorsReply = z.infer<typeof AuxiliaryDistractorsReply>;
