import type { HardDistractorPayload } from '../../schemas/payloads.ts';
import type { HardDistractorReply } from '../../schemas/replies/hard-distractor.ts';
import { STOP_WORDS, coverage } from '../../stages/text/words.ts';
import type { Draw } from './draw.ts';
import { HARD_FRAMES, SPHERES } from './grammar/hard-frames.ts';
import type { HardFrame } from './grammar/hard-frames.ts';
import { digitsLike } from './grammar/look.ts';
import { spacedWords } from './grammar/measured.ts';
import { TIMES, NUMBERS, PLACES } from './grammar/modifiers.ts';
import { CODING_CONTRACT } from './query/build.ts';
import { topicOf } from './query/topic.ts';

interface Written {
  readonly text: string;
  readonly frame: HardFrame;
}

/** A frame filled in; a number phrase or a place is added to come near the length of the source atoms. */
function fill(frame: HardFrame, topic: string, sphere: string, addition: string): Written {
  const put = (text: string): string => text.replaceAll('{topic}', () => topic).replaceAll('{sphere}', () => sphere);
  return { text: `${put(frame.memory)}${addition === '' ? '' : ` ${addition}`}.`, frame: { ...frame, tempting: put(frame.tempting) } };
}

function additions(payload: HardDistractorPayload, draw: Draw): readonly string[] {
  const withDigits = payload.atoms.filter((atom) => atom.level !== 'A' && /\d/.test(atom.text));
  const share = withDigits.length / Math.max(1, payload.atoms.length);
  if (draw.uniform('number') < share) {
    const digits = digitsLike(
      withDigits.map((atom) => atom.text),
      draw.uniform('digits'),
    );
    const year = String(1951 + Math.floor(draw.uniform('year') * 66));
    const small = String(Math.floor(10 ** (digits - 1) * (1 + draw.uniform('count') * 8.8)));
    return (
      digits === 4
        ? ['in {4}', 'back in {4}', 'from {4} on']
        : NUMBERS[digits]
            .map((phrase) => phrase.text)
            .filter((text) => /^(?:at|in|near|for|next)/.test(text))
            .concat('in round {1}')
    ).map((text) => text.replace(/\{\d\}/, digits === 4 ? year : small));
  }
  return [
    '',
    '',
    ...TIMES.state.map((phrase) => phrase.text).filter((text) => /special|amusement|pride|year/.test(text)),
    ...PLACES.slice(0, 4).map((phrase) => phrase.text),
  ];
}

function variants(payload: HardDistractorPayload, topic: string, draw: Draw): readonly Written[] {
  return HARD_FRAMES[payload.family].flatMap((frame, at) =>
    SPHERES[payload.domain].flatMap((sphere, place) => {
      const addition = draw.pick(additions(payload, draw), 'addition', at, place);
      return draw.uniform('variant', at, place) < 0.5 ? [fill(frame, topic, sphere, addition)] : [];
    }),
  );
}

function anchorOf(payload: HardDistractorPayload, draw: Draw): { readonly where: string; readonly quote: string } {
  const used = payload.atoms.filter((atom) => atom.level !== 'A');
  const atom = used.length === 0 ? undefined : draw.pick(used, 'anchor');
  if (payload.family === 'current_evidence_conflict' && atom !== undefined)
    return { where: atom.atom, quote: atom.text.replace(/\.$/, '').slice(0, 400) };
  const query = payload.query.replace(CODING_CONTRACT, '').trim();
  return { where: 'query', quote: query.slice(0, 400).replace(/[?.!]\s*$/, '') };
}

/** The last longer word of a query: what stands there is mostly what is asked about. */
function lastNoun(query: string): string | null {
  const longer = (query.toLowerCase().match(/[a-z]{5,16}/g) ?? []).filter((word) => !STOP_WORDS.has(word) && !/(?:ly|ing|ed)$/.test(word));
  return longer.at(-1) ?? null;
}

/** A tempting memory of the wanted family without honest use, near the source atoms in length; `cannot` where the family finds no hold. */
export function answerHardDistractor(payload: HardDistractorPayload, draw: Draw): HardDistractorReply {
  const query = payload.query.replace(CODING_CONTRACT, '');
  const topic =
    topicOf([query], payload.domain) ??
    lastNoun(query) ??
    topicOf(
      payload.atoms.map((atom) => atom.text),
      payload.domain,
    ) ??
    'such matters';
  const wanted = draw.pick(
    payload.atoms
      .filter((atom) => atom.level !== 'A')
      .map((atom) => spacedWords(atom.text))
      .concat(payload.atoms.length === 0 ? [16] : []),
    'length',
  );
  const options = variants(payload, topic, draw).filter(
    ({ text }) =>
      !payload.left_out.some((fact) => coverage(fact, text) >= 0.7) && !payload.atoms.some((atom) => coverage(atom.text, text) >= 0.6),
  );
  const best = [...options].sort((a, b) => Math.abs(spacedWords(a.text) - wanted) - Math.abs(spacedWords(b.text) - wanted))[0];
  if (best === undefined) return { atom: null, cannot: `no memory of this family near ${topic} stays clear of what is already known` };
  return {
    atom: {
      text: best.text,
      kind: best.frame.kind,
      tempting_sentence: best.frame.tempting,
      anchor: anchorOf(payload, draw),
      why_not_applicable: best.frame.why,
      legitimate_use: 'none',
      gives_away: 'none',
    },
    cannot: null,
  };
}
