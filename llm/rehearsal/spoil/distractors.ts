import type { AuxiliaryPayload, HardDistractorPayload, RubricsPayload } from '../../../schemas/payloads.ts';
import type { AuxiliaryDistractorsReply } from '../../../schemas/replies/auxiliary-distractors.ts';
import type { HardDistractorReply } from '../../../schemas/replies/hard-distractor.ts';
import type { RubricsReply } from '../../../schemas/replies/rubrics.ts';
import type { Draw } from '../draw.ts';

/** The hard distractor spoiled as named. */
export function spoilHardDistractor(
  name: string,
  reply: HardDistractorReply,
  payload: HardDistractorPayload,
  draw: Draw,
): HardDistractorReply {
  if (name === 'cannot')
    return {
      atom: null,
      cannot: draw.pick(
        ['no axis of this kind is open in the task', 'every candidate would have an honest use', 'the family finds no hold in this query'],
        'reason',
      ),
    };
  if (reply.atom === null) return reply;
  if (name === 'gives_away') return { ...reply, atom: { ...reply.atom, gives_away: payload.atoms[0]?.atom ?? 's1' } };
  if (name === 'anchor_not_found')
    return { ...reply, atom: { ...reply.atom, anchor: { ...reply.atom.anchor, quote: 'words that nobody wrote anywhere' } } };
  if (name === 'legitimate_use') return { ...reply, atom: { ...reply.atom, legitimate_use: 'bounded' } };
  return reply;
}

/** The auxiliary distractors spoiled as named. */
export function spoilAuxiliary(
  name: string,
  reply: AuxiliaryDistractorsReply,
  payload: AuxiliaryPayload,
  draw: Draw,
): AuxiliaryDistractorsReply {
  const at = Math.floor(draw.uniform('slot') * reply.atoms.length);
  const atom = reply.atoms[at];
  if (atom === undefined) return reply;
  const change = (text: string, givesAway = 'none'): AuxiliaryDistractorsReply => ({
    atoms: reply.atoms.map((item, place) => (place === at ? { ...item, text, gives_away: givesAway } : item)),
  });
  if (name === 'missing_slot') return { atoms: reply.atoms.filter((item) => item !== atom) };
  if (name === 'invented_slot') return { atoms: reply.atoms.map((item) => (item === atom ? { ...item, slot: `${item.slot}9` } : item)) };
  if (name === 'gives_away') return change(atom.text, payload.atoms.find((item) => item.level !== 'A')?.atom ?? 's1');
  if (name === 'duplicate_atom') return change(reply.atoms[(at + 1) % reply.atoms.length]?.text ?? atom.text);
  if (name === 'far_from_target') return change('The user hums.');
  if (name === 'first_person') return change(`My friends know that ${atom.text.charAt(0).toLowerCase()}${atom.text.slice(1)}`);
  return reply;
}

/** The rubrics spoiled as named. */
export function spoilRubrics(name: string, reply: RubricsReply, payload: RubricsPayload, draw: Draw): RubricsReply {
  const at = Math.floor(draw.uniform('rubric') * reply.used_atoms.length);
  const rubric = reply.used_atoms[at];
  if (name === 'missing_atom')
    return reply.ignored_atoms.length > 0
      ? { ...reply, ignored_atoms: reply.ignored_atoms.slice(1) }
      : { ...reply, used_atoms: reply.used_atoms.slice(1) };
  if (rubric === undefined) return reply;
  const blank = 'The answer treats the matter in a fitting way.';
  const vague = { A: 'No trace in the answer.', B: 'A limited trace in the answer.', C: 'A decisive trace in the answer.' };
  const write = (changed: typeof rubric): RubricsReply => ({
    ...reply,
    used_atoms: reply.used_atoms.map((item) => (item === rubric ? changed : item)),
  });
  if (name === 'low_support') {
    return write({
      atom: rubric.atom,
      expected_answer_behavior: blank,
      correct_use: blank,
      under_use: 'It is missing.',
      over_use: 'It is everywhere.',
      forbidden_memory_role: 'Anything else.',
      validity_scope: 'here',
      observable_checks: vague,
    });
  }
  if (name === 'stray_value') return write({ ...rubric, expected_answer_behavior: `${rubric.expected_answer_behavior} It names 7319 mg.` });
  if (name === 'swapped') {
    const other =
      payload.atoms.find((item) => item.atom !== rubric.atom && item.level !== 'A') ??
      payload.atoms.find((item) => item.atom !== rubric.atom);
    const text = other?.text ?? blank;
    return write({
      ...rubric,
      expected_answer_behavior: text,
      correct_use: text,
      under_use: 'It is missing.',
      over_use: 'It is everywhere.',
      forbidden_memory_role: 'Anything else.',
      observable_checks: vague,
    });
  }
  return reply;
}
