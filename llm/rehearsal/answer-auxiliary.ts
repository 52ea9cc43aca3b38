import type { AuxiliaryPayload, AuxiliarySlot } from '../../schemas/payloads.ts';
import type { AuxiliaryDistractorsReply } from '../../schemas/replies/auxiliary-distractors.ts';
import { STOP_WORDS, words } from '../../stages/text/words.ts';
import type { Draw } from './draw.ts';
import { pickAt } from './draw.ts';
import { compose } from './grammar/compose.ts';
import type { Parts, Shape } from './grammar/compose.ts';
import { framesOf } from './grammar/frames.ts';
import { list } from './grammar/measured.ts';
import { shortSentence } from './grammar/short.ts';
import { subjectsOf } from './grammar/subjects.ts';
import { nounsOf } from './grammar/things.ts';
import { digitsLike, lettersAWord } from './grammar/look.ts';

type Scene = AuxiliaryPayload['blocks'][number]['scene'];

/** A sentence of the scene as near the target as it gets, clear of all others if that can be had. */
function nearest(scene: Scene, shape: Shape, isClear: (text: string) => boolean, uniform: () => number): string {
  const parts: Parts = { subjects: list('The user'), frames: framesOf(scene.kind), nouns: nounsOf(scene.area) };
  let last = `The user keeps a ${pickAt(nounsOf(scene.area), uniform()).text}.`;
  for (let off = 0; off <= 8; off += 1) {
    for (const words of [shape.words + off, shape.words - off]) {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const text = shortSentence({ ...shape, words }, uniform) ?? compose(parts, { ...shape, words }, uniform);
        if (text !== null && isClear(text)) return text;
        last = text ?? last;
      }
    }
  }
  return last;
}

/** Whether two sets of content words are far from saying the same. */
function apart(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let both = 0;
  for (const item of a) if (b.has(item)) both += 1;
  return both <= 0.5 * Math.min(a.size, b.size);
}

function write(
  scene: Scene,
  slot: AuxiliarySlot,
  sources: readonly string[],
  taken: readonly ReadonlySet<string>[],
  uniform: () => number,
): string {
  const wanted = lettersAWord(sources) * slot.words;
  const shape: Shape = { words: slot.words, holds: slot.holds, digits: digitsLike(sources, uniform()) };
  const parts: Parts = { subjects: subjectsOf(scene.person), frames: framesOf(scene.kind), nouns: nounsOf(scene.area) };
  const isClear = (text: string): boolean => {
    const own = contentOf(text);
    return taken.every((other) => apart(own, other));
  };
  const found: string[] = [];
  for (let attempt = 0; attempt < 14 && found.length < 3; attempt += 1) {
    const text = slot.words <= 7 || (slot.words <= 9 && uniform() < 0.5) ? shortSentence(shape, uniform) : compose(parts, shape, uniform);
    if (text !== null && isClear(text)) found.push(text);
  }
  const best = found.sort((a, b) => Math.abs(a.length - wanted) - Math.abs(b.length - wanted))[0];
  return best ?? nearest(scene, shape, isClear, uniform);
}

/** Content words but the person words that every memory shares. */
function contentOf(text: string): ReadonlySet<string> {
  return new Set(words(text).filter((word) => !STOP_WORDS.has(word)));
}

/** One fact without use for every slot, composed from the scene card to the drawn number of words; `again` names slots to be written anew. */
export function answerAuxiliary(payload: AuxiliaryPayload, draw: Draw, again: ReadonlySet<string> = new Set()): AuxiliaryDistractorsReply {
  const taken = [...payload.atoms.map((atom) => atom.text), ...payload.left_out].map(contentOf);
  const used = payload.atoms.filter((atom) => atom.level !== 'A').map((atom) => atom.text);
  const atoms = payload.blocks.flatMap((block) =>
    block.slots.map((slot) => {
      const uniform = draw.stream('auxiliary', slot.slot, again.has(slot.slot) ? 'again' : 'first');
      const text = write(block.scene, slot, used, taken, uniform);
      taken.push(contentOf(text));
      return { slot: slot.slot, text, gives_away: 'none' };
    }),
  );
  return { atoms: atoms.slice(0, 16) };
}
