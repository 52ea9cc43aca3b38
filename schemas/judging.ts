import { z } from 'zod';
import type { JsonValue } from './json.ts';
import { Level } from './levels.ts';

/** Reply of the judge of answers (SPEC §7): one judgment per atom. */
export const JudgeReply = z.strictObject({
  atom_judgments: z.array(
    z.strictObject({
      atom_id: z.string(),
      u_star: Level,
      predicted_usage_level: Level,
      /** Words of the response that show the use; empty for A. */
      evidence_quote: z.string(),
      reason: z.string(),
    }),
  ),
});
export type JudgeReply = z.infer<typeof JudgeReply>;

const rubric = z.custom<{ readonly [key: string]: JsonValue }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'no rubric object',
);

/** An atom of a rollout line: what the judge holds the response against. */
const RolloutAtom = z.object({
  atom_id: z.string().min(1),
  parent_memory_id: z.string().min(1),
  text: z.string().min(1),
  u_star: Level,
  usage_rubric: rubric,
});

const RolloutRow = z.object({
  response_id: z.string().min(1),
  rollout_digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'no sha256 digest'),
  current_query: z.string().min(1),
  model_facing_memory: z.array(z.object({ parent_memory_id: z.string().min(1), memory_text: z.string() })),
  model_response: z.string(),
  /** `length` when the response was cut at its cap. */
  finish: z.enum(['stop', 'length']),
  atomic_rubrics: z
    .array(RolloutAtom)
    .min(1)
    .refine((atoms) => new Set(atoms.map((atom) => atom.atom_id)).size === atoms.length, 'an atom_id stands twice'),
});
export type RolloutLine = z.infer<typeof RolloutRow>;

/** Reads a line of rollout-r.jsonl as the trainer writes it; fields that no judge needs pass unread. Else the first field that is wrong, and why. */
export function readRolloutLine(value: unknown): { readonly line: RolloutLine } | { readonly field: string; readonly why: string } {
  const parsed = RolloutRow.safeParse(value);
  if (parsed.success) return { line: parsed.data };
  const issue = parsed.error.issues[0];
  return { field: issue?.path.map(String).join('.') ?? '', why: issue?.message ?? 'not valid' };
}

/** Ways in which the judging of a response can end; one holds for each (SPEC §7). */
export const JUDGE_STATUSES = ['ok', 'ok_flagged', 'repaired', 'unjudged', 'gen_truncated', 'gen_empty'] as const;
export type JudgeStatus = (typeof JUDGE_STATUSES)[number];

/** One line of the judgments file, shape of schemas/generated/judgments.json. */
export type JudgmentEntry = { readonly response_id: string; readonly rollout_digest: string } & (
  | { readonly levels: Readonly<Record<string, Level>>; readonly over_use: number; readonly under_use: number }
  | { readonly invalid: string }
);
