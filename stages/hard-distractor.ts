import { seededUniforms } from '../schemas/hash.ts';
import { HARD_FAMILIES, type Action, type Domain, type HardFamily, type Level } from '../schemas/levels.ts';
import type { HardDistractorPayload } from '../schemas/payloads.ts';
import { HardDistractorReply } from '../schemas/replies/hard-distractor.ts';
import type { HardDistractorOutput, Workpiece } from '../schemas/workpiece.ts';
import { planOf } from './block-plan.ts';
import type { Breach } from './settle.ts';
import { distractorBreaches, givesAwayBreach } from './checks/distractor-text.ts';
import { resolveQuote } from './checks/grounding.ts';
import { compared, overlaps } from './checks/near-duplicate.ts';
import { drawInteger } from './draw.ts';
import { payloadJson } from './fields.ts';
import { defineStep, type PartReply, type PartRequest, type StepDefinition, type StepVerdict } from './step.ts';

interface Input {
  readonly domain: Domain;
  readonly query: string;
  readonly requestTerms: readonly string[];
  readonly atoms: readonly { readonly atom: string; readonly text: string; readonly level: Level; readonly action: Action }[];
  readonly leftOut: readonly string[];
  /** All five, in the order in which they are tried. */
  readonly families: readonly HardFamily[];
}

/** The families in the order tried for an example: the fixed order, begun at a place drawn from hash(seed, example id). */
export function familyOrder(seed: string, exampleId: string): readonly HardFamily[] {
  const start = drawInteger(seededUniforms(seed, exampleId, 'hard-family'), 0, HARD_FAMILIES.length - 1);
  return [...HARD_FAMILIES.slice(start), ...HARD_FAMILIES.slice(0, start)];
}

function inputOf(workpiece: Workpiece): Input {
  const { seed, candidate, derive, atomize } = workpiece;
  if (derive === undefined || atomize === undefined) throw new Error(`candidate ${candidate.id}: hard-distractor needs derive and atomize`);
  return {
    domain: candidate.domain,
    query: derive.query,
    requestTerms: derive.requestTerms,
    atoms: atomize.atoms.map(({ key, text, level, action }) => ({ atom: key, text, level, action })),
    leftOut: [...derive.dropped, ...atomize.dropped].map(({ text }) => text),
    families: familyOrder(seed, candidate.id),
  };
}

function request(input: Input, family: HardFamily): PartRequest {
  const payload: HardDistractorPayload = {
    task: 'hard-distractor',
    domain: input.domain,
    family,
    query: input.query,
    atoms: input.atoms,
    left_out: input.leftOut,
  };
  return { partId: family, payload: payloadJson(payload) };
}

const isQuery = (where: string): boolean => where.trim().toLowerCase() === 'query';

type Offered = NonNullable<HardDistractorReply['atom']>;

function anchorBreaches(input: Input, { where, quote }: Offered['anchor']): readonly Breach[] {
  const text = isQuery(where) ? input.query : input.atoms.find(({ atom }) => atom === where)?.text;
  if (text === undefined)
    return [{ rule: 'anchor_unknown', path: 'atom.anchor.where', message: `"${where}" is neither query nor the id of a given atom` }];
  if (resolveQuote(text, quote) !== null) return [];
  return [{ rule: 'anchor_not_found', path: 'atom.anchor.quote', message: `this quote does not stand word for word in ${where}` }];
}

function breachesOf(input: Input, atom: Offered): readonly Breach[] {
  const breaches = [
    ...distractorBreaches(atom.text, 'atom.text', input),
    ...givesAwayBreach(atom.gives_away, 'atom.gives_away'),
    ...anchorBreaches(input, atom.anchor),
  ];
  const own = compared(atom.text);
  const repeated = input.atoms.find(({ text }) => overlaps(compared(text), own));
  if (repeated !== undefined)
    breaches.push({ rule: 'repeats_atom', path: 'atom.text', message: `it says what ${repeated.atom} already says; write something else` });
  if (atom.tempting_sentence.trim() === '')
    breaches.push({
      rule: 'no_tempting_sentence',
      path: 'atom.tempting_sentence',
      message: 'give the sentence a hasty assistant would write',
    });
  if (atom.legitimate_use !== 'none')
    breaches.push({
      rule: 'legitimate_use',
      path: 'atom.legitimate_use',
      message: 'by your own word a careful expert could use it; write one that has no honest use, or reply with cannot',
    });
  return breaches;
}

/** Either the usable atom, or why this family gave none (`breaches` empty when the writer said `cannot`). */
function judge(input: Input, reply: HardDistractorReply): { readonly atom: Offered | null; readonly breaches: readonly Breach[] } {
  const { atom, cannot } = reply;
  if (atom === null && cannot !== null && cannot.trim() !== '') return { atom, breaches: [] };
  if (atom === null)
    return { atom, breaches: [{ rule: 'no_reply', path: 'atom', message: 'give an atom, or set cannot to the reason why there is none' }] };
  return { atom, breaches: breachesOf(input, atom) };
}

/**
 * A family that says `cannot`, or that still breaks a rule after its repair turn, gives way to the next one: the fault lies in the fit of
 * family and row, and one more call costs less than the example. After the fifth the example is rejected.
 */
function accept(input: Input, replies: ReadonlyMap<string, PartReply<HardDistractorReply>>): StepVerdict<HardDistractorOutput> {
  const causes: string[] = [];
  for (const family of input.families) {
    const part = replies.get(family);
    if (part === undefined) return { kind: 'more', parts: [request(input, family)] };
    const { atom, breaches } = judge(input, part.reply);
    if (atom !== null && breaches.length === 0) {
      const output: HardDistractorOutput = {
        family,
        text: atom.text.trim(),
        kind: atom.kind,
        temptingSentence: atom.tempting_sentence.trim(),
        anchor: { where: isQuery(atom.anchor.where) ? 'query' : atom.anchor.where, quote: atom.anchor.quote },
        whyNotApplicable: atom.why_not_applicable.trim(),
      };
      return { kind: 'accepted', output, flags: causes.map((detail) => ({ rule: 'family_skipped', where: 'h1', detail })) };
    }
    if (breaches.length > 0 && !part.repaired) return { kind: 'repair', notes: breaches.map((breach) => ({ partId: family, ...breach })) };
    causes.push(`${family}: ${breaches[0]?.rule ?? 'cannot'}`);
  }
  return { kind: 'rejected', reason: 'no_honest_distractor', detail: `No family gave an honest hard atom: ${causes.join('; ')}` };
}

/** Step `hard-distractor` (SPEC §4.4): one tempting A atom, from the first of five families that fits the row. */
export const hardDistractor: StepDefinition = defineStep<Input, HardDistractorReply, HardDistractorOutput>({
  id: 'hard-distractor',
  stage: 'distractors',
  replySchema: HardDistractorReply,
  checkNumber: 1,
  checkFiles: [
    'stages/hard-distractor.ts',
    'stages/checks/distractor-text.ts',
    'stages/checks/near-duplicate.ts',
    'stages/checks/containment.ts',
    'stages/checks/one-sentence.ts',
    'stages/checks/first-person.ts',
    'stages/checks/dropped.ts',
    'stages/checks/grounding.ts',
    'stages/text/words.ts',
  ],
  input: inputOf,
  requests: (input) => input.families.slice(0, 1).map((family) => request(input, family)),
  accept,
  apply: (workpiece, output) => ({ ...workpiece, plan: planOf(workpiece), hardDistractor: output }),
});
