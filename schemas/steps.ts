/** The six stages of the paper, in order. */
export const STAGES = ['screening', 'derivation', 'atomization', 'distractors', 'naturalization', 'quality'] as const;
export type StageId = (typeof STAGES)[number];

/** The nine model-driven steps, in order (DESIGN §4). */
export const STEPS = [
  'screen',
  'derive',
  'atomize',
  'hard-distractor',
  'auxiliary-distractors',
  'rubrics',
  'naturalize',
  'review-fidelity',
  'review-calibration',
] as const;
export type StepId = (typeof STEPS)[number];

/** Whether a text names a step. */
export function isStepId(text: string): text is StepId {
  return (STEPS as readonly string[]).includes(text);
}

/** The steps of each stage, in order. */
export const STEPS_OF_STAGE: Readonly<Record<StageId, readonly StepId[]>> = {
  screening: ['screen'],
  derivation: ['derive'],
  atomization: ['atomize'],
  distractors: ['hard-distractor', 'auxiliary-distractors', 'rubrics'],
  naturalization: ['naturalize'],
  quality: ['review-fidelity', 'review-calibration'],
};

/** Who answers a step; the config maps each role to a provider and model. Part ids of review steps are the reviewer roles. */
export const ROLES = ['builder', 'reviewerA', 'reviewerB'] as const;
export type Role = (typeof ROLES)[number];

/** Who a call is made for: a role of the build, or the judge of answers (SPEC §7). */
export type CallRole = Role | 'judge';
