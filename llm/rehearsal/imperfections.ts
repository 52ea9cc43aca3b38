import type { RehearsedTask } from './tasks.ts';

/** A way in which the rehearsal model errs on purpose, so that a demo build walks every rejection and repair path. */
export interface Imperfection {
  readonly step: RehearsedTask;
  readonly name: string;
  /** Share of first replies it spoils; at most one imperfection hits a reply. */
  readonly rate: number;
  /** Share of repair turns that mend it; the others send the same fault again. */
  readonly mended: number;
}

/** The whole table: the only place where rates stand. */
export const IMPERFECTIONS: readonly Imperfection[] = [
  { step: 'screen', name: 'uncertain_verdict', rate: 0.04, mended: 0 },
  { step: 'screen', name: 'reject_verdict', rate: 0.03, mended: 0 },
  { step: 'screen', name: 'ungrounded_quote', rate: 0.04, mended: 0.75 },
  { step: 'derive', name: 'ungrounded_quote', rate: 0.05, mended: 0.6 },
  { step: 'derive', name: 'leak_in_query', rate: 0.05, mended: 0.7 },
  { step: 'derive', name: 'undeclared_term', rate: 0.04, mended: 0.9 },
  { step: 'derive', name: 'nothing_found', rate: 0.01, mended: 0 },
  { step: 'atomize', name: 'illegal_action', rate: 0.04, mended: 0.75 },
  { step: 'atomize', name: 'first_person', rate: 0.04, mended: 0.75 },
  { step: 'atomize', name: 'duplicate_atom', rate: 0.04, mended: 0.75 },
  { step: 'atomize', name: 'ungrounded_quote', rate: 0.03, mended: 0.75 },
  { step: 'atomize', name: 'all_ignored', rate: 0.01, mended: 0 },
  { step: 'hard-distractor', name: 'cannot', rate: 0.1, mended: 0 },
  { step: 'hard-distractor', name: 'gives_away', rate: 0.04, mended: 0.75 },
  { step: 'hard-distractor', name: 'anchor_not_found', rate: 0.03, mended: 0.75 },
  { step: 'hard-distractor', name: 'legitimate_use', rate: 0.03, mended: 0.75 },
  { step: 'auxiliary-distractors', name: 'missing_slot', rate: 0.03, mended: 0.9 },
  { step: 'auxiliary-distractors', name: 'invented_slot', rate: 0.02, mended: 0.9 },
  { step: 'auxiliary-distractors', name: 'gives_away', rate: 0.03, mended: 0.8 },
  { step: 'auxiliary-distractors', name: 'duplicate_atom', rate: 0.03, mended: 0.9 },
  { step: 'auxiliary-distractors', name: 'far_from_target', rate: 0.02, mended: 1 },
  { step: 'auxiliary-distractors', name: 'first_person', rate: 0.02, mended: 0.8 },
  { step: 'rubrics', name: 'low_support', rate: 0.03, mended: 0.8 },
  { step: 'rubrics', name: 'missing_atom', rate: 0.03, mended: 0.9 },
  { step: 'rubrics', name: 'stray_value', rate: 0.03, mended: 0.8 },
  { step: 'rubrics', name: 'swapped', rate: 0.02, mended: 0.8 },
  { step: 'naturalize', name: 'dropped_token', rate: 0.015, mended: 0.8 },
  { step: 'naturalize', name: 'dropped_atom', rate: 0.015, mended: 0.8 },
  { step: 'naturalize', name: 'list_markers', rate: 0.01, mended: 0.9 },
  { step: 'naturalize', name: 'too_long', rate: 0.01, mended: 0.8 },
  { step: 'naturalize', name: 'benchmark_word', rate: 0.01, mended: 1 },
  { step: 'review-fidelity', name: 'unfaithful', rate: 0.015, mended: 0 },
  { step: 'review-fidelity', name: 'cannot_tell', rate: 0.03, mended: 0 },
  { step: 'review-calibration', name: 'wrong_level', rate: 0.015, mended: 0 },
  { step: 'review-calibration', name: 'supplied', rate: 0.01, mended: 0 },
  { step: 'review-calibration', name: 'gives_away', rate: 0.01, mended: 0 },
  { step: 'review-calibration', name: 'block_adds', rate: 0.005, mended: 0 },
  { step: 'review-calibration', name: 'cannot_tell', rate: 0.03, mended: 0 },
  { step: 'judge', name: 'ungrounded_quote', rate: 0.03, mended: 0.75 },
  { step: 'judge', name: 'missing_atom', rate: 0.02, mended: 0.9 },
  { step: 'judge', name: 'judged_twice', rate: 0.01, mended: 0.9 },
  { step: 'judge', name: 'other_ideal', rate: 0.01, mended: 0.9 },
  { step: 'judge', name: 'no_reason', rate: 0.01, mended: 0.9 },
];

/** The imperfection that a number in [0, 1) draws for a step, or null: rates of a step are laid end to end. */
export function imperfectionAt(step: RehearsedTask, uniform: number, table: readonly Imperfection[] = IMPERFECTIONS): Imperfection | null {
  let upTo = 0;
  for (const imperfection of table) {
    if (imperfection.step !== step) continue;
    upTo += imperfection.rate;
    if (uniform < upTo) return imperfection;
  }
  return null;
}
