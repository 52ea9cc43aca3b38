import { STEPS } from '../../schemas/steps.ts';
import type { StepId } from '../../schemas/steps.ts';

/** What the rehearsal model answers: the steps of dataset construction and the judging of answers. */
export type RehearsedTask = StepId | 'judge';
export const REHEARSED_TASKS: readonly RehearsedTask[] = [...STEPS, 'judge'];

/** Whether a name is one of them. */
export function isRehearsed(task: unknown): task is RehearsedTask {
  return REHEARSED_TASKS.some((known) => known === task);
}
