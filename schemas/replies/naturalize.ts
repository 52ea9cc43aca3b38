import { z } from 'zod';

/** Reply of step `naturalize` (SPEC §4.5): one paragraph holding every atom of the block in order. */
export const NaturalizeReply = z.strictObject({ memory_text: z.string().max(12_000) });
export type NaturalizeReply = z.infer<typeof NaturalizeReply>;
