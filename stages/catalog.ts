import type { StepId } from '../schemas/steps.ts';
import { atomize } from './atomize.ts';
import { auxiliaryDistractors } from './auxiliary-distractors.ts';
import { derive } from './derive.ts';
import { hardDistractor } from './hard-distractor.ts';
import { naturalize } from './naturalize.ts';
import { reviewCalibration } from './review-calibration.ts';
import { reviewFidelity } from './review-fidelity.ts';
import { rubrics } from './rubrics.ts';
import { screen } from './screen.ts';
import type { StepDefinition } from './step.ts';

/** The nine steps, by id. A new step is one file, one prompt, one line here and one test file. */
export const STEP_DEFINITIONS: Readonly<Record<StepId, StepDefinition>> = {
  screen: screen,
  derive: derive,
  atomize: atomize,
  'hard-distractor': hardDistractor,
  'auxiliary-distractors': auxiliaryDistractors,
  rubrics: rubrics,
  naturalize: naturalize,
  'review-fidelity': reviewFidelity,
  'review-calibration': reviewCalibration,
};
