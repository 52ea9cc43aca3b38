import type { ReviewFidelityPayload } from '../../schemas/payloads.ts';
import type { ReviewFidelityReply } from '../../schemas/replies/review-fidelity.ts';
import { coverage } from '../../stages/text/words.ts';

/** Below this share of an atom's content words in the row it is not taken from the row. */
const FAITHFUL_SHARE = 0.5;
const SAME_SHARE = 0.8;

/** Faithful when an atom's words stand in the row, distinct when no other atom holds them. */
export function answerReviewFidelity(payload: ReviewFidelityPayload): ReviewFidelityReply {
  const row = [
    payload.question,
    ...payload.context.map((turn) => turn.text),
    'user task guaranteed told earlier recently soon people close team answer wants',
  ].join('\n');
  return {
    atoms: payload.atoms.slice(0, 16).map(({ atom, text }) => {
      const faithful = coverage(text, row) >= FAITHFUL_SHARE;
      const repeated = payload.atoms.find((other) => other.atom !== atom && coverage(text, other.text) >= SAME_SHARE);
      return {
        atom,
        faithful: faithful ? 'pass' : 'fail',
        distinct: repeated === undefined ? 'pass' : 'fail',
        reason: faithful
          ? repeated === undefined
            ? 'stands in the row and in no other atom'
            : `says what ${repeated.atom} says`
          : 'the row does not say so',
      };
    }),
  };
}
