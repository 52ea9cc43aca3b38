import type { AtomizePayload } from '../../schemas/payloads.ts';
import type { AtomizeReply } from '../../schemas/replies/atomize.ts';
import { coverage } from '../../stages/text/words.ts';
import { levelOf } from './levelling.ts';
import type { Levelled } from './levelling.ts';
import { keyPhrase } from './text/keywords.ts';
import { hasFirstPerson } from './text/person.ts';
import { splitSentences } from './text/sentences.ts';

type Atom = AtomizeReply['atoms'][number];
type Passage = AtomizePayload['passages'][number];

const EFFECTS: Readonly<Record<'B' | 'C' | 'A', { readonly without: string; readonly with: string }>> = {
  A: { without: 'the answer says the same', with: 'the answer says the same; {key} stays out of it' },
  B: { without: 'the answer gives its advice without the remark on {key}', with: 'the same advice comes with a remark on {key}' },
  C: { without: 'the answer recommends without regard to {key}', with: 'the recommendation is another one because of {key}' },
};

function evidenceFor(text: string, passage: Passage, at: number): Atom['evidence'] {
  const best = passage.evidence
    .map((span, place) => ({ span, score: coverage(text, span.quote) + (place === at ? 0.05 : 0) }))
    .sort((a, b) => b.score - a.score)[0];
  return best === undefined ? [] : [{ field: best.span.field, quote: best.span.quote }];
}

function atomOf(text: string, passage: Passage, at: number, levelled: Levelled): Atom {
  const key = keyPhrase(text, 8);
  const effects = EFFECTS[levelled.level];
  return {
    passage: passage.passage,
    text,
    evidence: evidenceFor(text, passage, at),
    without: effects.without.replace('{key}', () => key).slice(0, 300),
    with: effects.with.replace('{key}', () => key).slice(0, 300),
    ...levelled,
  };
}

/** Every sentence of the passages as one atom, levelled by fixed signs; at least one of them is used in the answer. */
export function answerAtomize(payload: AtomizePayload): AtomizeReply {
  const atoms: Atom[] = [];
  for (const passage of payload.passages) {
    for (const [at, sentence] of splitSentences(passage.text).entries()) {
      const repeated = atoms.some((atom) => coverage(sentence.text, atom.text) >= 0.7 || coverage(atom.text, sentence.text) >= 0.7);
      if (repeated || hasFirstPerson(sentence.text) || atoms.length >= 7) continue;
      atoms.push(atomOf(sentence.text, passage, at, levelOf(sentence.text, payload.domain)));
    }
  }
  return { atoms: withUse(atoms), dropped: [] };
}

/** Lifts the first atom to B when every atom would be ignored: a row whose facts all idle is no example. */
function withUse(atoms: readonly Atom[]): Atom[] {
  if (atoms.some((atom) => atom.level !== 'A')) return [...atoms];
  return atoms.map((atom, at) =>
    at > 0 ? atom : { ...atom, level: 'B', action: 'apply', reason: 'it sets the tone of one remark; the conclusion stands without it' },
  );
}
