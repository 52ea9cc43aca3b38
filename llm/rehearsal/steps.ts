import type {
  AtomizePayload,
  AuxiliaryPayload,
  DerivePayload,
  HardDistractorPayload,
  JudgePayload,
  NaturalizePayload,
  ReviewCalibrationPayload,
  ReviewFidelityPayload,
  RubricsPayload,
  ScreenPayload,
} from '../../schemas/payloads.ts';
import { amendAtomize, amendAuxiliary, amendDerive, amendHardDistractor, amendNaturalize, amendRubrics, amendScreen } from './amend.ts';
import { answerAtomize } from './answer-atomize.ts';
import { answerAuxiliary } from './answer-auxiliary.ts';
import { answerDerive } from './answer-derive.ts';
import { answerHardDistractor } from './answer-hard-distractor.ts';
import { amendJudge, answerJudge, spoilJudge } from './answer-judge.ts';
import { answerNaturalize } from './answer-naturalize.ts';
import { answerReviewCalibration } from './answer-review-calibration.ts';
import { answerReviewFidelity } from './answer-review-fidelity.ts';
import { answerRubrics } from './answer-rubrics.ts';
import { answerScreen } from './answer-screen.ts';
import type { Draw } from './draw.ts';
import type { Problem } from './problems.ts';
import { spoilAtomize, spoilDerive, spoilScreen } from './spoil/derivation.ts';
import { spoilAuxiliary, spoilHardDistractor, spoilRubrics } from './spoil/distractors.ts';
import { spoilNaturalize, spoilReviewCalibration, spoilReviewFidelity } from './spoil/quality.ts';
import type { RehearsedTask } from './tasks.ts';

/** How the rehearsal model treats one step: its best answer, that answer spoiled, and that answer amended as problems ask. */
export interface StepAnswer<Payload, Reply> {
  answer(payload: Payload, draw: Draw): Reply;
  spoil(name: string, reply: Reply, payload: Payload, draw: Draw): Reply;
  amend(problems: readonly Problem[], reply: Reply, payload: Payload, draw: Draw): Reply;
}

/** Keeps the types of one step together and hides them from the table; payloads were told apart by their task before. */
function step<Payload, Reply>(parts: StepAnswer<Payload, Reply>): StepAnswer<unknown, unknown> {
  return {
    answer: (payload, draw) => parts.answer(payload as Payload, draw),
    spoil: (name, reply, payload, draw) => parts.spoil(name, reply as Reply, payload as Payload, draw),
    amend: (problems, reply, payload, draw) => parts.amend(problems, reply as Reply, payload as Payload, draw),
  };
}

const unamended = <Reply>(_problems: readonly Problem[], reply: Reply): Reply => reply;

/** The nine steps and the judge. */
export const STEP_ANSWERS: Readonly<Record<RehearsedTask, StepAnswer<unknown, unknown>>> = {
  screen: step<ScreenPayload, ReturnType<typeof answerScreen>>({ answer: answerScreen, spoil: spoilScreen, amend: amendScreen }),
  derive: step<DerivePayload, ReturnType<typeof answerDerive>>({ answer: answerDerive, spoil: spoilDerive, amend: amendDerive }),
  atomize: step<AtomizePayload, ReturnType<typeof answerAtomize>>({ answer: answerAtomize, spoil: spoilAtomize, amend: amendAtomize }),
  'hard-distractor': step<HardDistractorPayload, ReturnType<typeof answerHardDistractor>>({
    answer: answerHardDistractor,
    spoil: spoilHardDistractor,
    amend: amendHardDistractor,
  }),
  'auxiliary-distractors': step<AuxiliaryPayload, ReturnType<typeof answerAuxiliary>>({
    answer: answerAuxiliary,
    spoil: spoilAuxiliary,
    amend: amendAuxiliary,
  }),
  rubrics: step<RubricsPayload, ReturnType<typeof answerRubrics>>({ answer: answerRubrics, spoil: spoilRubrics, amend: amendRubrics }),
  naturalize: step<NaturalizePayload, ReturnType<typeof answerNaturalize>>({
    answer: answerNaturalize,
    spoil: spoilNaturalize,
    amend: amendNaturalize,
  }),
  'review-fidelity': step<ReviewFidelityPayload, ReturnType<typeof answerReviewFidelity>>({
    answer: answerReviewFidelity,
    spoil: spoilReviewFidelity,
    amend: unamended,
  }),
  'review-calibration': step<ReviewCalibrationPayload, ReturnType<typeof answerReviewCalibration>>({
    answer: answerReviewCalibration,
    spoil: spoilReviewCalibration,
    amend: unamended,
  }),
  judge: step<JudgePayload, ReturnType<typeof answerJudge>>({ answer: answerJudge, spoil: spoilJudge, amend: amendJudge }),
};
