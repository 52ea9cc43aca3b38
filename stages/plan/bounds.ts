import type { StepId } from '../../schemas/steps.ts';
import type { Workpiece } from '../../schemas/workpiece.ts';
import { slotParts } from '../auxiliary-distractors.ts';
import { planOf } from '../block-plan.ts';
import { MAX_RUBRICS_PER_PART } from '../rubrics.ts';
import { drawAuxiliaryBlocks } from '../scenes.ts';

/**
 * Most parts a step can have for any example of at most 63 slots in 20 blocks: five families; auxiliary groups of which two neighbours
 * always hold more than 16 slots; 16 rubrics a part; every block but the singleton; two reviewers.
 */
export const MOST_PARTS: Readonly<Record<StepId, number>> = {
  screen: 1,
  derive: 1,
  atomize: 1,
  'hard-distractor': 5,
  'auxiliary-distractors': 7,
  rubrics: 4,
  naturalize: 19,
  'review-fidelity': 2,
  'review-calibration': 2,
};

/** Logical calls a part can take: the first and one repair turn of a builder, so many samples of a reviewer. */
export function mostCallsPerPart(step: StepId, samples: number): number {
  return step === 'review-fidelity' || step === 'review-calibration' ? samples : 2;
}

/** Most parts of a step for one example: exact where its block plan is drawn already. */
export function mostParts(step: StepId, workpiece: Workpiece | null): number {
  if (workpiece?.atomize === undefined) return MOST_PARTS[step];
  const { blocks } = planOf(workpiece);
  if (step === 'naturalize') return blocks.filter(({ seats }) => seats.length > 1).length;
  if (step === 'rubrics') return Math.ceil(blocks.reduce((sum, { seats }) => sum + seats.length, 0) / MAX_RUBRICS_PER_PART);
  if (step !== 'auxiliary-distractors') return MOST_PARTS[step];
  const { seed, candidate, atomize } = workpiece;
  const texts = atomize.atoms.map(({ text }) => text);
  return slotParts(drawAuxiliaryBlocks(seed, candidate.id, candidate.domain, planOf(workpiece), texts)).length;
}
