import type { NaturalizePayload, ReviewCalibrationPayload, ReviewFidelityPayload } from '../../../schemas/payloads.ts';
import type { NaturalizeReply } from '../../../schemas/replies/naturalize.ts';
import type { ReviewCalibrationReply } from '../../../schemas/replies/review-calibration.ts';
import type { ReviewFidelityReply } from '../../../schemas/replies/review-fidelity.ts';
import type { Draw } from '../draw.ts';

/** Naturalization spoiled as named. */
export function spoilNaturalize(name: string, reply: NaturalizeReply, payload: NaturalizePayload, draw: Draw): NaturalizeReply {
  const texts = payload.atoms.map((atom) => atom.text);
  if (name === 'dropped_token') {
    const shortened = reply.memory_text.replace(/\d+(?:[.,]\d+)*|\b[A-Z]{2,}\b|`[^`]+`/, 'some');
    return { memory_text: shortened };
  }
  if (name === 'dropped_atom')
    return { memory_text: texts.filter((_, at) => at !== Math.floor(draw.uniform('lost') * texts.length)).join(' ') };
  if (name === 'list_markers') return { memory_text: texts.map((text) => `- ${text}`).join('\n') };
  if (name === 'too_long')
    return {
      memory_text: `${reply.memory_text} ${texts.map((text) => `To say it once more in other words, and for the sake of completeness, it is a matter of fact that ${text.charAt(0).toLowerCase()}${text.slice(1)}`).join(' ')}`,
    };
  if (name === 'benchmark_word') return { memory_text: `${reply.memory_text.replace(/\.$/, '')}, which is a distractor.` };
  return reply;
}

/** A fidelity review spoiled as named. */
export function spoilReviewFidelity(
  name: string,
  reply: ReviewFidelityReply,
  _payload: ReviewFidelityPayload,
  draw: Draw,
): ReviewFidelityReply {
  const at = Math.floor(draw.uniform('atom') * reply.atoms.length);
  const verdict = name === 'unfaithful' ? 'fail' : name === 'cannot_tell' ? 'cannot_tell' : null;
  if (verdict === null) return reply;
  const reason = verdict === 'fail' ? 'the row is less definite than the atom' : 'the row can be read either way';
  return { atoms: reply.atoms.map((atom, place) => (place === at ? { ...atom, faithful: verdict, reason } : atom)) };
}

/** A calibration review spoiled as named. */
export function spoilReviewCalibration(
  name: string,
  reply: ReviewCalibrationReply,
  payload: ReviewCalibrationPayload,
  draw: Draw,
): ReviewCalibrationReply {
  const used = payload.atoms.filter((atom) => atom.level !== 'A').map((atom) => atom.atom);
  const key = used.length === 0 ? undefined : draw.pick(used, 'atom');
  const change = (changed: Partial<ReviewCalibrationReply['atoms'][number]>): ReviewCalibrationReply => ({
    ...reply,
    atoms: reply.atoms.map((atom) => (atom.atom === key ? { ...atom, ...changed } : atom)),
  });
  if (name === 'wrong_level') return change({ level: 'fail', reason: 'an expert would use it more than that' });
  if (name === 'supplied') return change({ in_query: 'supplied', reason: 'the query says it already' });
  if (name === 'gives_away')
    return change({ gives_away: payload.atoms.find((atom) => atom.atom !== key)?.atom ?? 'none', reason: 'implies a neighbour' });
  if (name === 'cannot_tell') return change({ level: 'cannot_tell', reason: 'it depends on how the query is meant' });
  if (name === 'block_adds')
    return {
      ...reply,
      blocks: reply.blocks.map((block, at) =>
        at === 0 ? { ...block, adds_none: 'fail', reason: 'adds a cause that no atom states' } : block,
      ),
    };
  return reply;
}
