import { useTotals } from '../../metrics/response-scores.ts';
import type { JudgeReply, JudgmentEntry, RolloutLine } from '../../schemas/judging.ts';

type Named = Pick<RolloutLine, 'response_id' | 'rollout_digest'>;

/** The entry of a judged response: the level of every atom in the order of the row, with O and U. The reply has every atom once (J5). */
export function judgedEntry(line: RolloutLine, reply: JudgeReply): JudgmentEntry {
  const found = new Map(reply.atom_judgments.map((judgment) => [judgment.atom_id, judgment.predicted_usage_level]));
  const uses = line.atomic_rubrics.map(({ atom_id: id, u_star: ideal }) => {
    const actual = found.get(id);
    if (actual === undefined) throw new RangeError(`response ${line.response_id} has no judgment of atom ${id}`);
    return { id, ideal, actual };
  });
  const { over, under } = useTotals(uses);
  const { response_id, rollout_digest } = line;
  return {
    response_id,
    rollout_digest,
    levels: Object.fromEntries(uses.map(({ id, actual }) => [id, actual])),
    over_use: over,
    under_use: under,
  };
}

/** The entry of a response without a verdict: masked by the trainer, never A and never zero. */
export function invalidEntry({ response_id, rollout_digest }: Named, reason: string): JudgmentEntry {
  return { response_id, rollout_digest, invalid: reason };
}
