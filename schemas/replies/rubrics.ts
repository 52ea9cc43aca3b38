import { z } from 'zod';

/** Criteria for the three levels of use, phrased so that they do not reveal the ideal one. */
export const LevelCriteria = z.strictObject({ A: z.string().max(400), B: z.string().max(400), C: z.string().max(400) });

/** Reply of step `rubrics` (SPEC §4.4). B and C atoms get full rubrics, A atoms three short parts from which code builds the fields. */
export const RubricsReply = z.strictObject({
  used_atoms: z
    .array(
      z.strictObject({
        atom: z.string().max(20),
        expected_answer_behavior: z.string().max(500),
        correct_use: z.string().max(500),
        under_use: z.string().max(500),
        /** For C atoms code replaces this by a fixed sentence. */
        over_use: z.string().max(500),
        forbidden_memory_role: z.string().max(400),
        validity_scope: z.string().max(300),
        observable_checks: LevelCriteria,
      }),
    )
    .max(16),
  ignored_atoms: z
    .array(
      z.strictObject({
        atom: z.string().max(20),
        topic: z.string().max(120),
        over_use: z.string().max(300),
        harmless: z.string().max(300),
      }),
    )
    .max(16),
});
export type RubricsReply = z.infer<typeof RubricsReply>;
