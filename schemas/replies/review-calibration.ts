import { z } from 'zod';

const verdict = z.enum(['pass', 'fail', 'cannot_tell']);

/** Reply of step `review-calibration` (SPEC §4.6). Uses are asked before the level; `cannot_tell` is no verdict. */
export const ReviewCalibrationReply = z.strictObject({
  query: z.strictObject({ coherent: verdict, answerable: verdict, reason: z.string().max(400) }),
  atoms: z
    .array(
      z.strictObject({
        atom: z.string().max(20),
        /** Whether the query string alone supplies the atom. */
        in_query: z.enum(['supplied', 'partly', 'not']),
        gives_away: z.string().max(20),
        legitimate_use: z.enum(['none', 'bounded', 'direct']),
        distinct: verdict,
        level: verdict,
        rubric: verdict,
        reason: z.string().max(300),
      }),
    )
    .max(63),
  blocks: z
    .array(z.strictObject({ block: z.string().max(20), keeps_all: verdict, adds_none: verdict, reason: z.string().max(300) }))
    .max(20),
});
export type ReviewCalibrationReply = z.infer<typeof ReviewCalibrationReply>;
