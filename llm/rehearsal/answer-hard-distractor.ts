import type { HardDistractorPayload } from '../../schemas/payloads.ts';
import type { HardDistractorReply } from '../../schemas/replies/hard-distractor.ts';
import { STOP_WORDS } from '../../stages/text/words.ts';
import type { Draw } from './draw.ts';
import { HARD_FRAMES, SPHERES } from './grammar/hard-frames.ts';
import type { HardFrame } from './grammar/hard-frames.ts';
import { digitsLike } from './grammar/look.ts';
import { TIMES, PLACES } from './grammar/modifiers.ts';
import { CODING_CONTRACT } from './query/build.ts';
import { topicOf } from './query/topic.ts';
import { share, stemSet } from './text/stem-set.ts';
import { BASE_VERBS } from './text/verbs.ts';

interface Written {
  readonly text: string;
  readonly frame: HardFrame;
}

/** A frame filled in; a number phrase or a place is added to come near the length of the source atoms. */
function fill(frame: HardFrame, topic: string, sphere: string, addition: string): Written {
  const put = (text: string): string => text.replaceAll('{topic}', () => topic).replaceAll('{sphere}', () => sphere);
  return { text: `${put(frame.memory)}${addition === '' ? '' : ` ${addition}`}.`, frame: { ...frame, tempting: put(frame.tempting) } };
}

/** Phrases that can be added: with a number when the drawn source atom holds one, so that digits do not tell the hard atom. */
function additions(model: string, draw: Draw): readonly string[] {
  if (!/\d/.test(model)) return ['', ...TIMES.state, ...PLACES].map((phrase) => (typeof phrase === 'string' ? phrase : phrase.text));
  const digits = digitsLike([model], 0);
  const year = String(1951 + Math.floor(draw.uniform('year') * 66));
  const small = String(Math.floor(10 ** (digits - 1) * (1 + draw.uniform('count') * 8.8)));
  const phrases =
    digits === 4
      ? ['in {4}', 'back in {4}', 'from {4} on', 'as noted in {4}']
      : [`in round {n}`, 'on {n} evenings', 'in front of {n} people', 'on page {n} of a notebook'];
  return phrases.map((text) => text.replace('{4}', year).replace('{n}', small));
}

function variants(payload: HardDistractorPayload, topic: string, model: string, draw: Draw): readonly Written[] {
  const added = additions(model, draw);
  const once = new Set<string>();
  return HARD_FRAMES[payload.family].flatMap((frame, at) =>
    SPHERES[payload.domain].flatMap((sphere, place) =>
      [0, 1].flatMap((turn) => {
        const written = fill(frame, topic, sphere, turn === 0 && added[0] === '' ? '' : draw.pick(added, 'addition', at, place, turn));
        if (once.has(written.text)) return [];
        once.add(written.text);
        return [written];
      }),
    ),
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
  const longer = (query.toLowerCase().match(/[a-z]{5,16}/g) ?? []).filter(
    (word) => !STOP_WORDS.has(word) && !BASE_VERBS.has(word) && !/(?:ly|ing|ed|er|est|ive|ful)$/.test(word),
  );
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
  const used = payload.atoms.filter((atom) => atom.level !== 'A').map((atom) => atom.text);
  const model = used.length === 0 ? '' : draw.pick(used, 'model');
  const wanted = model.length;
  const leftOut = payload.left_out.map(stemSet);
  const known = payload.atoms.map((atom) => stemSet(atom.text));
  const options = variants(payload, topic, model, draw).filter(({ text }) => {
    const own = stemSet(text);
    return !leftOut.some((fact) => share(fact, own) >= 0.7) && !known.some((atom) => share(atom, own) >= 0.6 || share(own, atom) >= 0.6);
  });
  const near = [...options].sort((a, b) => Math.abs(a.text.length - wanted) - Math.abs(b.text.length - wanted)).slice(0, 4);
  const best = near.length === 0 ? undefined : draw.pick(near, 'best');
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
