import type {
  AtomizePayload,
  AuxiliaryPayload,
  DerivePayload,
  HardDistractorPayload,
  NaturalizePayload,
  RubricsPayload,
  ScreenPayload,
} from '../../schemas/payloads.ts';
import type { AtomizeReply } from '../../schemas/replies/atomize.ts';
import type { AuxiliaryDistractorsReply } from '../../schemas/replies/auxiliary-distractors.ts';
import type { DeriveReply } from '../../schemas/replies/derive.ts';
import type { HardDistractorReply } from '../../schemas/replies/hard-distractor.ts';
import type { NaturalizeReply } from '../../schemas/replies/naturalize.ts';
import type { RubricsReply } from '../../schemas/replies/rubrics.ts';
import { SCREEN_DIMENSIONS } from '../../schemas/replies/screen.ts';
import type { ScreenReply } from '../../schemas/replies/screen.ts';
import { answerAuxiliary } from './answer-auxiliary.ts';
import { answerDerive } from './answer-derive.ts';
import { answerRubrics } from './answer-rubrics.ts';
import type { Draw } from './draw.ts';
import { placesIn } from './problems.ts';
import type { Problem } from './problems.ts';

/** Quotes that did not stand give way to the opening words of the question, which do. */
export function amendScreen(problems: readonly Problem[], reply: ScreenReply, payload: ScreenPayload): ScreenReply {
  const quote = payload.question.slice(0, 120).replace(/\s+\S*$/, '');
  return SCREEN_DIMENSIONS.filter((dimension) => problems.some(({ path }) => path.startsWith(dimension))).reduce<ScreenReply>(
    (current, dimension) => ({ ...current, [dimension]: { ...current[dimension], evidence: { field: 'question', quote } } }),
    reply,
  );
}

/** A named leak: the query is asked in plain words; a named passage is left out. */
export function amendDerive(problems: readonly Problem[], _reply: DeriveReply, payload: DerivePayload, draw: Draw): DeriveReply {
  const leaked = problems.some(({ rule, path, message }) => /query|leak|term/i.test(`${rule} ${path} ${message}`));
  const passages = leaked ? [] : placesIn(problems, 'passages');
  return answerDerive(payload, draw, { plainQuery: leaked || passages.length === 0, withoutPassages: passages });
}

/** Atoms that were named are left out, the rest stands. */
export function amendAtomize(problems: readonly Problem[], reply: AtomizeReply, _payload: AtomizePayload): AtomizeReply {
  const named = new Set(placesIn(problems, 'atoms'));
  const kept = reply.atoms.filter((_, at) => !named.has(at));
  return kept.length === 0 ? reply : { ...reply, atoms: kept };
}

/** What was found wanting by its own family is given up: the next family may do better. */
export function amendHardDistractor(
  _problems: readonly Problem[],
  _reply: HardDistractorReply,
  _payload: HardDistractorPayload,
): HardDistractorReply {
  return { atom: null, cannot: 'what was found for this family does not hold' };
}

/** Slots that were named are written anew. */
export function amendAuxiliary(
  problems: readonly Problem[],
  _reply: AuxiliaryDistractorsReply,
  payload: AuxiliaryPayload,
  draw: Draw,
): AuxiliaryDistractorsReply {
  const slots = payload.blocks.flatMap((block) => block.slots.map((slot) => slot.slot));
  const named = slots.filter((slot) => problems.some(({ path, message }) => new RegExp(`\\b${slot}\\b`).test(`${path} ${message}`)));
  return answerAuxiliary(payload, draw, new Set(named.length === 0 ? slots : named));
}

/** Rubrics are written once more with every word of the atom. */
export function amendRubrics(_problems: readonly Problem[], _reply: RubricsReply, payload: RubricsPayload, draw: Draw): RubricsReply {
  return answerRubrics(payload, draw, 'whole');
}

/** The atoms as they stand, one after the other: nothing can be lost. */
export function amendNaturalize(_problems: readonly Problem[], _reply: NaturalizeReply, payload: NaturalizePayload): NaturalizeReply {
  return {
    memory_text: [...payload.atoms]
      .sort((a, b) => a.n - b.n)
      .map((atom) => atom.text.replace(/\s+/g, ' ').trim())
      .join(' '),
  };
}
