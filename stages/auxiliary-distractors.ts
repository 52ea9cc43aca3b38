import type { Domain, Level } from '../schemas/levels.ts';
import type { AuxiliaryPayload, AuxiliarySlot } from '../schemas/payloads.ts';
import { AuxiliaryDistractorsReply } from '../schemas/replies/auxiliary-distractors.ts';
import type { AuxiliaryOutput, Flag, Workpiece } from '../schemas/workpiece.ts';
import { planOf } from './block-plan.ts';
import type { Breach } from './settle.ts';
import { distractorBreaches, givesAwayBreach } from './checks/distractor-text.ts';
import { compared, overlaps, repeats, type ComparedText } from './checks/near-duplicate.ts';
import { holdsAsAsked, wordTargetProblem } from './checks/word-target.ts';
import { payloadJson } from './fields.ts';
import { drawAuxiliaryBlocks, type AuxiliaryBlock } from './scenes.ts';
import { replyOf, settleParts } from './settle-parts.ts';
import { defineStep, type PartReply, type StepDefinition, type StepVerdict } from './step.ts';

/** Most slots one call fills (SPEC §4.4). */
export const MAX_SLOTS_PER_PART = 16;

interface Input {
  readonly domain: Domain;
  readonly query: string;
  readonly requestTerms: readonly string[];
  readonly atoms: readonly { readonly atom: string; readonly text: string; readonly level: Level }[];
  readonly leftOut: readonly string[];
  readonly blocks: readonly AuxiliaryBlock[];
}

/** A call's worth of slots; `partId` is the range of slots it fills, e.g. `x1-x12`. */
export interface SlotPart {
  readonly partId: string;
  readonly blocks: readonly AuxiliaryBlock[];
}

/** Parts of at most 16 slots, cut at block borders; only a block with more than 16 free slots is itself cut. */
export function slotParts(blocks: readonly AuxiliaryBlock[]): readonly SlotPart[] {
  const pieces = blocks.flatMap((block) =>
    Array.from({ length: Math.ceil(block.slots.length / MAX_SLOTS_PER_PART) }, (_, n) => ({
      ...block,
      slots: block.slots.slice(n * MAX_SLOTS_PER_PART, (n + 1) * MAX_SLOTS_PER_PART),
    })),
  );
  const groups: AuxiliaryBlock[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last !== undefined && slotsOf(last).length + piece.slots.length <= MAX_SLOTS_PER_PART) last.push(piece);
    else groups.push([piece]);
  }
  return groups.map((group) => {
    const slots = slotsOf(group);
    return { partId: `${slots[0]?.slot ?? ''}-${slots.at(-1)?.slot ?? ''}`, blocks: group };
  });
}

function slotsOf(blocks: readonly AuxiliaryBlock[]): readonly AuxiliarySlot[] {
  return blocks.flatMap(({ slots }) => slots);
}

function inputOf(workpiece: Workpiece): Input {
  const { seed, candidate, derive, atomize, hardDistractor } = workpiece;
  if (derive === undefined || atomize === undefined || hardDistractor === undefined)
    throw new Error(`candidate ${candidate.id}: auxiliary-distractors needs derive, atomize and hard-distractor`);
  const texts = atomize.atoms.map(({ text }) => text);
  return {
    domain: candidate.domain,
    query: derive.query,
    requestTerms: derive.requestTerms,
    atoms: [
      ...atomize.atoms.map(({ key, text, level }) => ({ atom: key, text, level })),
      { atom: 'h1', text: hardDistractor.text, level: 'A' as const },
    ],
    leftOut: [...derive.dropped, ...atomize.dropped].map(({ text }) => text),
    blocks: drawAuxiliaryBlocks(seed, candidate.id, candidate.domain, planOf(workpiece), texts),
  };
}

interface Written {
  readonly slot: AuxiliarySlot;
  readonly block: string;
  readonly part: SlotPart;
  readonly repaired: boolean;
  readonly text: string;
  readonly words: ComparedText;
  readonly givesAway: string;
}

/** Every slot must be filled once and none invented; the texts that answer a slot, and what is wrong with the set. */
function readPart(
  part: SlotPart,
  { reply, repaired }: PartReply<AuxiliaryDistractorsReply>,
): { readonly written: readonly Written[]; readonly breaches: readonly Breach[] } {
  const slots = part.blocks.flatMap((block) => block.slots.map((slot) => ({ slot, block: block.block })));
  const breaches: Breach[] = [];
  const written = slots.flatMap(({ slot, block }): readonly Written[] => {
    const answers = reply.atoms.filter((atom) => atom.slot === slot.slot);
    const [answer] = answers;
    if (answers.length !== 1)
      breaches.push({
        rule: 'slot_count',
        path: slot.slot,
        message: `slot ${slot.slot} is answered ${answers.length} times instead of once`,
      });
    if (answer === undefined) return [];
    const text = answer.text.trim();
    return [{ slot, block, part, repaired, text, words: compared(text), givesAway: answer.gives_away }];
  });
  for (const { slot } of reply.atoms) {
    if (!slots.some((asked) => asked.slot.slot === slot))
      breaches.push({ rule: 'slot_unknown', path: slot, message: `slot ${slot} was not asked for in this call` });
  }
  return { written, breaches };
}

interface Existing {
  readonly atom: string;
  readonly words: ComparedText;
}

function textBreaches(input: Input, existing: readonly Existing[], { slot, text, words, repaired, givesAway }: Written): readonly Breach[] {
  const path = slot.slot;
  const breaches = [...distractorBreaches(text, path, input), ...givesAwayBreach(givesAway, path)];
  const repeated = existing.find((atom) => overlaps(atom.words, words));
  if (repeated !== undefined) breaches.push({ rule: 'repeats_atom', path, message: `it says what ${repeated.atom} already says` });
  if (!repaired && wordTargetProblem(text, slot.words) === 'far')
    breaches.push({ rule: 'word_target', path, message: `it is far from the ${slot.words} words asked for` });
  return breaches;
}

/** Repeated texts among the auxiliary atoms; the later one is to be rewritten, unless only the earlier still has its repair turn. */
function repetitions(written: readonly Written[]): readonly { readonly part: SlotPart; readonly breach: Breach }[] {
  return written.flatMap((later, index) => {
    const earlier = written.slice(0, index).find((other) => {
      return other.block === later.block ? overlaps(other.words, later.words) : repeats(other.words, later.words);
    });
    if (earlier === undefined) return [];
    const [to, from] = later.repaired && !earlier.repaired ? [earlier, later] : [later, earlier];
    return [
      {
        part: to.part,
        breach: {
          rule: 'duplicate_atom',
          path: to.slot.slot,
          message: `it says what slot ${from.slot.slot} says ("${from.text}"); write another fact`,
        },
      },
    ];
  });
}

function flagsOf(written: readonly Written[]): readonly Flag[] {
  return written.flatMap(({ slot, text }) => [
    ...(wordTargetProblem(text, slot.words) === null
      ? []
      : [{ rule: 'word_target', where: slot.slot, detail: `asked for ${slot.words} words` }]),
    ...(holdsAsAsked(text, slot.holds) ? [] : [{ rule: 'slot_holds', where: slot.slot, detail: `asked for ${slot.holds}` }]),
  ]);
}

function accept(input: Input, replies: ReadonlyMap<string, PartReply<AuxiliaryDistractorsReply>>): StepVerdict<AuxiliaryOutput> {
  const parts = slotParts(input.blocks).map((part) => {
    const answer = replyOf(replies, part.partId);
    return { part, repaired: answer.repaired, ...readPart(part, answer) };
  });
  const written = parts.flatMap((part) => part.written);
  const repeated = repetitions(written);
  const existing = input.atoms.map(({ atom, text }) => ({ atom, words: compared(text) }));
  const checked = parts.map(({ part, repaired, written: own, breaches }) => ({
    partId: part.partId,
    repaired,
    breaches: [
      ...breaches,
      ...own.flatMap((atom) => textBreaches(input, existing, atom)),
      ...repeated.filter((item) => item.part === part).map(({ breach }) => breach),
    ],
  }));
  return settleParts(checked, () => ({
    output: { texts: Object.fromEntries(written.map(({ slot, text }) => [slot.slot, text])) },
    flags: flagsOf(written),
  }));
}

/** Step `auxiliary-distractors` (SPEC §4.4): fills the free slots of the block plan with facts that have no use here. */
export const auxiliaryDistractors: StepDefinition = defineStep<Input, AuxiliaryDistractorsReply, AuxiliaryOutput>({
  id: 'auxiliary-distractors',
  stage: 'distractors',
  replySchema: AuxiliaryDistractorsReply,
  checkNumber: 1,
  checkFiles: [
    'stages/auxiliary-distractors.ts',
    'stages/settle-parts.ts',
    'stages/checks/distractor-text.ts',
    'stages/checks/near-duplicate.ts',
    'stages/checks/containment.ts',
    'stages/checks/one-sentence.ts',
    'stages/checks/first-person.ts',
    'stages/checks/dropped.ts',
    'stages/checks/word-target.ts',
    'stages/text/words.ts',
  ],
  input: inputOf,
  requests: (input) =>
    slotParts(input.blocks).map((part) => {
      const payload: AuxiliaryPayload = {
        task: 'auxiliary-distractors',
        domain: input.domain,
        query: input.query,
        atoms: input.atoms,
        left_out: input.leftOut,
        blocks: part.blocks,
      };
      return { partId: part.partId, payload: payloadJson(payload) };
    }),
  accept,
  apply: (workpiece, output) => ({ ...workpiece, auxiliary: output }),
});
