import type { StepId } from '../../schemas/steps.ts';
import type { AtomizeOutput, Workpiece } from '../../schemas/workpiece.ts';
import { slotParts } from '../auxiliary-distractors.ts';
import { drawBlockSizes, planOf } from '../block-plan.ts';
import type { Planned } from '../block-plan.ts';
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

/** As much of a workpiece as its block plan is drawn from. */
export type AtomizedWorkpiece = Planned & { readonly candidate: Pick<Workpiece['candidate'], 'id' | 'domain'> };

/** Block sizes without seating anything, unless a plan was drawn already. */
function sizesOf({ plan, seed, candidate }: AtomizedWorkpiece, { atoms }: AtomizeOutput): readonly number[] {
  return plan?.blocks.map(({ seats }) => seats.length) ?? drawBlockSizes(seed, candidate.id, atoms.length);
}

/** Most parts of a step for one example: exact where its block plan is drawn already. */
export function mostParts(step: StepId, workpiece: AtomizedWorkpiece | null): number {
  if (workpiece?.atomize === undefined) return MOST_PARTS[step];
  if (step === 'naturalize') return sizesOf(workpiece, workpiece.atomize).filter((size) => size > 1).length;
  if (step === 'rubrics')
    return Math.ceil(sizesOf(workpiece, workpiece.atomize).reduce((sum, size) => sum + size, 0) / MAX_RUBRICS_PER_PART);
  if (step !== 'auxiliary-distractors') return MOST_PARTS[step];
  const { seed, candidate, atomize } = workpiece;
  const texts = atomize.atoms.map(({ text }) => text);
  return slotParts(drawAuxiliaryBlocks(seed, candidate.id, candidate.domain, planOf(workpiece), texts)).length;
}

/** Parts a step asks first, told from the block plan alone: what its `requests` would list for the whole workpiece (a test holds the two together). */
export function firstParts(step: StepId, workpiece: AtomizedWorkpiece): number {
  return step === 'hard-distractor' ? 1 : mostParts(step, workpiece);
}
