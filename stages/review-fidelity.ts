import type { Domain } from '../schemas/levels.ts';
import type { FieldText, ReviewFidelityPayload } from '../schemas/payloads.ts';
import { ReviewFidelityReply } from '../schemas/replies/review-fidelity.ts';
import type { ReviewOutput } from '../schemas/workpiece.ts';
import { WorkpieceError } from './atoms.ts';
import { contextFields, payloadJson } from './fields.ts';
import type { Judgement, Reading } from './review-verdict.ts';
import { REVIEWERS, decideReview, namesEachOnce, readJudgements } from './review-verdict.ts';
import { defineStep } from './step.ts';

interface ReviewFidelityInput {
  readonly domain: Domain;
  readonly context: readonly FieldText[];
  readonly question: string;
  /** Source-derived atoms under their keys, in the order of the reply that made them. */
  readonly atoms: readonly { readonly atom: string; readonly text: string }[];
}

function read(input: ReviewFidelityInput, reply: ReviewFidelityReply): Reading {
  const expected = input.atoms.map((atom) => atom.atom);
  if (
    !namesEachOnce(
      expected,
      reply.atoms.map((item) => item.atom),
    )
  )
    return { kind: 'none' };
  return readJudgements(
    reply.atoms.flatMap((item): readonly Judgement[] => [
      { reason: 'review_fidelity_faithful', where: `${item.atom} faithful`, verdict: item.faithful },
      { reason: 'review_fidelity_distinct', where: `${item.atom} distinct`, verdict: item.distinct },
    ]),
  );
}

/** Step `review-fidelity` (SPEC §4.6): both reviewers compare the source-derived atoms with what the user wrote. */
export const reviewFidelity = defineStep<ReviewFidelityInput, ReviewFidelityReply, ReviewOutput>({
  id: 'review-fidelity',
  stage: 'quality',
  replySchema: ReviewFidelityReply,
  checkNumber: 1,
  checkFiles: ['stages/atoms.ts', 'stages/fields.ts', 'stages/review-fidelity.ts', 'stages/review-verdict.ts'],
  input: ({ candidate, atomize }) => {
    if (atomize === undefined) throw new WorkpieceError(`${candidate.id}: review-fidelity needs the output of atomize`);
    const { context, question } = candidate.row;
    const atoms = atomize.atoms.map(({ key, text }) => ({ atom: key, text }));
    return { domain: candidate.domain, context: contextFields(context), question, atoms };
  },
  requests: (input) => {
    const payload: ReviewFidelityPayload = { task: 'review-fidelity', ...input };
    return REVIEWERS.map((partId) => ({ partId, payload: payloadJson(payload) }));
  },
  accept: (input, replies) =>
    decideReview(
      replies,
      (reply) => read(input, reply),
      () => [],
    ),
  apply: (workpiece, output) => ({ ...workpiece, reviewFidelity: output }),
});
