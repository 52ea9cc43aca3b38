import type { Domain } from '../schemas/levels.ts';
import type { FieldText, ScreenPayload } from '../schemas/payloads.ts';
import { SCREEN_DIMENSIONS, ScreenReply } from '../schemas/replies/screen.ts';
import type { ScreenOutput } from '../schemas/workpiece.ts';
import type { Breach } from './settle.ts';
import { mainPart, settle } from './settle.ts';
import { resolveQuote } from './checks/grounding.ts';
import { payloadJson, rowFields } from './fields.ts';
import type { StepVerdict } from './step.ts';
import { defineStep } from './step.ts';

interface ScreenInput {
  readonly domain: Domain;
  readonly fields: readonly FieldText[];
}

function textOf(input: ScreenInput, field: string): string {
  return input.fields.find((item) => item.field === field)?.text ?? '';
}

/** A quote must stand somewhere in the row. Where nothing is there to quote, only a verdict other than pass may leave it empty. */
function ungroundedQuotes(input: ScreenInput, reply: ScreenReply): readonly Breach[] {
  return SCREEN_DIMENSIONS.flatMap((dimension) => {
    const { verdict, evidence } = reply[dimension];
    const empty = evidence.quote.trim() === '';
    if (empty ? verdict !== 'pass' : input.fields.some((item) => resolveQuote(item.text, evidence.quote) !== null)) return [];
    const message = empty
      ? 'A pass needs a quote: copy the words of the row that carry it.'
      : 'This quote does not stand in the row. Copy it character by character from question, answer or context.';
    return [{ rule: 'ungrounded_quote', path: `${dimension}.evidence.quote`, message }];
  });
}

/** The verdict as it follows from the six dimensions; whatever else the model thinks of the row does not count. */
function recompute(reply: ScreenReply): { readonly reason: string; readonly detail: string } | null {
  const rejected = SCREEN_DIMENSIONS.find((dimension) => reply[dimension].verdict === 'reject');
  if (rejected !== undefined) return { reason: `screen_${rejected}`, detail: `Screening rejects ${rejected}.` };
  const open = SCREEN_DIMENSIONS.filter((dimension) => reply[dimension].verdict === 'uncertain');
  return open.length === 0 ? null : { reason: 'needs_review', detail: `Screening is uncertain about ${open.join(', ')}.` };
}

/** Step `screen` (SPEC §4.1): six dimensions with grounded quotes; only rows that pass all of them go on. */
export const screen = defineStep<ScreenInput, ScreenReply, ScreenOutput>({
  id: 'screen',
  stage: 'screening',
  replySchema: ScreenReply,
  checkNumber: 1,
  checkFiles: ['stages/checks/grounding.ts', 'stages/fields.ts', 'stages/screen.ts', 'stages/settle.ts'],
  input: ({ candidate: { domain, row } }) => ({ domain, fields: rowFields(row) }),
  requests: (input) => {
    const payload: ScreenPayload = {
      task: 'screen',
      domain: input.domain,
      context: input.fields.filter((item) => item.field.startsWith('context.')),
      question: textOf(input, 'question'),
      answer: textOf(input, 'answer'),
    };
    return [{ partId: 'main', payload: payloadJson(payload) }];
  },
  accept: (input, replies): StepVerdict<ScreenOutput> => {
    const part = mainPart(replies);
    const settled = settle('main', ungroundedQuotes(input, part.reply), part.repaired, () => ({
      output: { dimensions: part.reply },
      flags: [],
    }));
    const verdict = settled.kind === 'accepted' ? recompute(part.reply) : null;
    return verdict === null ? settled : { kind: 'rejected', ...verdict, partId: 'main' };
  },
  apply: (workpiece, output) => ({ ...workpiece, screen: output }),
});
