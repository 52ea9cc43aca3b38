import type { Speaker } from '../../schemas/source-row.ts';

const TOLD =
  /\b(?:user|user['’]s \p{L}+)\b[^.]{0,40}\b(?:was|were|has been|had been|have been|got|received|has received|had received|has already been|had already been)\b[^.]{0,30}\b(?:told|given|advised|recommended|shown|offered|suggested|warned|informed|taught|sent|asked|advice|suggestions?|recommendations?|explanations?|an answer|instructions?|lists?)\b/iu;

/** Whether a text makes a claim about the user that only an assistant turn supports: it may only say what the user was told or given. */
export function claimsFromAssistant(text: string, speakers: readonly Speaker[]): boolean {
  return speakers.length > 0 && speakers.every((speaker) => speaker === 'assistant') && !TOLD.test(text);
}
