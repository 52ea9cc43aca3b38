import type { JsonObject } from '../../schemas/json.ts';
import type { ContextTurn } from '../../schemas/source-row.ts';
import { normaliseProse } from '../normalise.ts';
import { boilerplateShare, stripBoilerplate } from '../screening/boilerplate.ts';
import { completed, contentId, rejected, type AdapterContext, type AdapterResult } from './adapter.ts';

/** Upper limit of RULES for courtesy and referral tokens in a consultation answer. */
export const MAX_BOILERPLATE_SHARE = 0.65;

/** Length at which the hub's MedDialog cuts both texts. */
const CUT_AT_CHARS = 2500;

interface Dialogue {
  readonly idPrefix: string;
  readonly nativeId?: string;
  readonly description: string;
  readonly question: string;
  readonly answer: string;
  readonly earlier?: readonly ContextTurn[];
  readonly metadata: JsonObject;
}

function fold(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

/** Whether a text was cut at the hub's limit in mid-sentence. */
function isCut(raw: string): boolean {
  return raw.length >= CUT_AT_CHARS - 1 && raw.length <= CUT_AT_CHARS && !/[.!?)"'>]\s*$/.test(raw);
}

/** One patient-doctor exchange as a health row: greeting, sign-off and referral tail are taken off the answer, which must still advise. */
export function dialogueRow(context: AdapterContext, dialogue: Dialogue): AdapterResult {
  const question = normaliseProse(dialogue.question);
  const description = normaliseProse(dialogue.description).replace(/^Q\s*[.:]\s*/, '');
  const rawAnswer = normaliseProse(dialogue.answer);
  const answer = stripBoilerplate(rawAnswer);
  const id = `${dialogue.idPrefix}:${context.source.split}:${dialogue.nativeId ?? contentId(question, rawAnswer)}`;
  if (isCut(dialogue.question)) return rejected(context, 'truncated_question', 'The question was cut at 2,500 characters.', id);
  if (isCut(dialogue.answer)) return rejected(context, 'truncated_answer', 'The answer was cut at 2,500 characters.', id);
  const isEmptied = rawAnswer !== '' && (answer === '' || (answer.match(/[\p{L}\p{N}]+/gu) ?? []).length < 5);
  if (
    rawAnswer !== '' &&
    question !== '' &&
    (boilerplateShare(rawAnswer) > MAX_BOILERPLATE_SHARE || isEmptied) &&
    answer.length < rawAnswer.length
  )
    return rejected(context, 'boilerplate_answer', 'The answer holds courtesy and referral but no advice.', id);
  const restates = description === '' || fold(question).includes(fold(description));
  return completed(context, {
    sourceId: id,
    groupKey: `dialogue:${contentId(fold(question))}`,
    domain: 'health',
    question,
    context: [...(dialogue.earlier ?? []), ...(restates ? [] : [{ speaker: 'user' as const, text: description }])],
    answer,
    metadata: dialogue.metadata,
  });
}
