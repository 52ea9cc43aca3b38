import { z } from 'zod';

const verdict = z.enum(['pass', 'fail', 'cannot_tell']);

/** Reply of step `review-fidelity` (SPEC §4.6): per source atom, faithful to the source and distinct from the others. */
export const ReviewFidelityReply = z.strictObject({
  atoms: z.array(z.strictObject({ atom: z.string().max(20), faithful: verdict, distinct: verdict, reason: z.string().max(300) })).max(16),
});
export type ReviewFidelityReply = z.infer<typeof ReviewFidelityReply>;
