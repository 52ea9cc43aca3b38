import type { RolloutLine } from '../../schemas/judging.ts';
import type { JudgePayload } from '../../schemas/payloads.ts';

/** Most tokens a judge may write for one response (SPEC §7). */
export const JUDGE_MAX_TOKENS = 16_384;

/** The one user message of a judge call; ids and digests stay behind, so equal responses are judged once. */
export function judgePayload({ current_query, model_facing_memory, model_response, atomic_rubrics }: RolloutLine): JudgePayload {
  return { task: 'judge', current_query, model_facing_memory, model_response, atomic_rubrics };
}
