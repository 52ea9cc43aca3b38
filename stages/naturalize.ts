import type { NaturalizePayload } from '../schemas/payloads.ts';
import { NaturalizeReply } from '../schemas/replies/naturalize.ts';
import type { NaturalizeOutput, Workpiece } from '../schemas/workpiece.ts';
import { seatedAtoms } from './atoms.ts';
import { planOf } from './block-plan.ts';
import { blockBreaches, blockFlags, type BlockText } from './checks/block-text.ts';
import { namesIn } from './checks/critical-tokens.ts';
import { payloadJson } from './fields.ts';
import { replyOf, settleParts } from './settle-parts.ts';
import { defineStep, type PartReply, type PartRequest, type StepDefinition, type StepVerdict } from './step.ts';

/** Characters of English text to a token, as measured on the worked examples. */
export const CHARACTERS_PER_TOKEN = 4.2;

interface Input {
  /** All blocks in order: single-atom ones need no call, their text is the atom's, byte for byte. */
  readonly blocks: readonly BlockText[];
}

function inputOf(workpiece: Workpiece): Input {
  const atoms = seatedAtoms({ ...workpiece, plan: planOf(workpiece) });
  const { question, context } = workpiece.candidate.row;
  const names = new Set([question, ...context.map(({ text }) => text), ...atoms.map(({ text }) => text)].flatMap(namesIn));
  return {
    blocks: planOf(workpiece).blocks.map(({ id }) => {
      const texts = atoms.filter(({ blockId }) => blockId === id).map(({ text }) => text);
      const firsts = texts.flatMap((text) => /^\P{L}*(\p{Lu}[\p{L}\p{M}]*)/u.exec(text)?.[1] ?? []);
      return { block: id, atoms: texts, knownNames: [...new Set(firsts)].filter((word) => names.has(word)) };
    }),
  };
}

function request({ block, atoms }: BlockText): PartRequest {
  const payload: NaturalizePayload = { task: 'naturalize', atoms: atoms.map((text, index) => ({ n: index + 1, text })) };
  const inputTokens = Math.ceil(JSON.stringify(payload).length / CHARACTERS_PER_TOKEN);
  return { partId: block, payload: payloadJson(payload), maxTokens: 3 * inputTokens + 200 };
}

function accept({ blocks }: Input, replies: ReadonlyMap<string, PartReply<NaturalizeReply>>): StepVerdict<NaturalizeOutput> {
  const written = blocks.map((block) => {
    const [only] = block.atoms;
    if (only !== undefined && block.atoms.length === 1) return { block, text: only.trim(), repaired: false, breaches: [] };
    const { reply, repaired } = replyOf(replies, block.block);
    const text = reply.memory_text.trim();
    return { block, text, repaired, breaches: blockBreaches(block, text, repaired) };
  });
  return settleParts(
    written.map(({ block, repaired, breaches }) => ({ partId: block.block, repaired, breaches })),
    () => ({
      output: { memoryTexts: Object.fromEntries(written.map(({ block, text }) => [block.block, text])) },
      flags: written.flatMap(({ block, text }) => blockFlags(block, text)),
    }),
  );
}

/** Step `naturalize` (SPEC §4.5): one call per block of several atoms, blind to labels and query; single atoms stay byte-equal. */
export const naturalize: StepDefinition = defineStep<Input, NaturalizeReply, NaturalizeOutput>({
  id: 'naturalize',
  stage: 'naturalization',
  replySchema: NaturalizeReply,
  checkNumber: 1,
  checkFiles: [
    'stages/naturalize.ts',
    'stages/settle-parts.ts',
    'stages/checks/block-text.ts',
    'stages/checks/benchmark-words.ts',
    'stages/checks/block-coverage.ts',
    'stages/checks/critical-tokens.ts',
    'stages/checks/length-band.ts',
    'stages/checks/one-paragraph.ts',
    'stages/text/words.ts',
  ],
  input: inputOf,
  requests: ({ blocks }) => blocks.filter(({ atoms }) => atoms.length > 1).map(request),
  accept,
  apply: (workpiece, output) => ({ ...workpiece, naturalize: output }),
});
