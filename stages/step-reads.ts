import type { StepId } from '../schemas/steps.ts';

/**
 * The earlier steps whose outputs the input of a step is made of (the block plan is drawn from what `atomize` gave).
 * A test watches what each `input` really touches and holds this table against it.
 */
export const STEP_READS: Readonly<Record<StepId, readonly StepId[]>> = {
  screen: [],
  derive: [],
  atomize: ['derive'],
  'hard-distractor': ['derive', 'atomize'],
  'auxiliary-distractors': ['derive', 'atomize', 'hard-distractor'],
  rubrics: ['derive', 'atomize', 'hard-distractor', 'auxiliary-distractors'],
  naturalize: ['atomize', 'hard-distractor', 'auxiliary-distractors'],
  'review-fidelity': ['atomize'],
  'review-calibration': ['derive', 'atomize', 'hard-distractor', 'auxiliary-distractors', 'rubrics', 'naturalize'],
};
