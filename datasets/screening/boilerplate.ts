import { createPatternSet } from '../pattern-set/pattern-set.ts';
import { countRuns } from './row-text.ts';
import { sentencesOf } from './sentences.ts';

/** Courtesy and referral sentences of consultation sites and assistants; each is tried on one sentence. */
export const BOILERPLATE: readonly RegExp[] = [
  /^(?:hi|hello|hey|dear|good (?:morning|evening|afternoon)|greetings)\b[^.!?]{0,60}[.!,]*$/i,
  /\bwelcome to\b[^.!?]*\b(?:forum|chat ?doctor|healthcare ?magic|icliniq|site|service)\b/i,
  /\bthank(?:s| you)\b[^.!?]*\b(?:query|question|posting|contacting|consulting|asking|trust|writing|choosing|using)\b/i,
  /^(?:thanks?|thank you)(?: (?:so much|very much|again|a lot|and regards))?[.!,]*$/i,
  /\b(?:i )?hope (?:this|that|it|my|i|you|your)\b[^.!?]*\b(?:help(?:s|ful|ed)?|answer(?:s|ed)?|clear|useful|resolved|satisf\w+|speedy recovery|get well|feel better)\b/i,
  /\b(?:wish(?:ing)? you|take care|get well soon|best (?:wishes|regards)|kind regards|warm regards|with regards|^regards|good luck|all the best|good day)\b/i,
  /\b(?:feel free|do not hesitate|don't hesitate)\b[^.!?]*\b(?:ask|contact|write|consult|reach|query|questions?)\b/i,
  /\b(?:let me know|get back to|revert back|revert to|write (?:back )?to)\b[^.!?]*\b(?:further|more|any|other|queries|questions|doubts|me|us)\b/i,
  /\bif you have (?:any|further|more|other|additional)\b[^.!?]*\b(?:questions?|queries|query|doubts?|concerns?)\b/i,
  /\bfor (?:any )?(?:further|more) (?:information|queries|query|doubts?|details?|help|clarifications?|guidance)\b[^.!?]*(?:\bconsult|-->|\bonline\b|\bask\b|\bcontact\b)/i,
  /\b(?:revert|get) back\b[^.!?]*(?:-->|\bonline\b)/i,
  /\bconsult (?:an? )?[\w ,&-]{3,60} online\b/i,
  /\bi (?:have )?(?:read|gone through|understand|understood|reviewed|went through)\b[^.!?]{0,40}\b(?:your|the) (?:query|question|concerns?|message|details)\b[^.!?]{0,40}$/i,
  /^i (?:have )?(?:gone|went) through your query\b[^.!?]*\bi am here to help\b/i,
  /\b(?:dr|doctor)\.? [A-Z][\w.]+(?:,| ?$)/,
];

const COURTESY = createPatternSet(BOILERPLATE);
const NUMBERS = BOILERPLATE.map((_, number) => number);

function isCourtesy(sentence: string, tokens: number): boolean {
  if (tokens > 40) return false;
  const { has, isNone } = COURTESY.scan(sentence);
  return !isNone && NUMBERS.some(has);
}

/** Whether one sentence is courtesy or referral and says nothing of the case. */
export function isBoilerplate(sentence: string): boolean {
  return isCourtesy(sentence, countRuns(sentence));
}

/** Share of an answer's tokens that stand in courtesy or referral sentences (RULES: at most 0.65). */
export function boilerplateShare(answer: string, sentences: readonly string[] = sentencesOf(answer)): number {
  let courtesy = 0;
  let all = 0;
  for (const sentence of sentences) {
    const tokens = countRuns(sentence);
    all += tokens;
    if (isCourtesy(sentence, tokens)) courtesy += tokens;
  }
  return all === 0 ? 1 : courtesy / all;
}

/** A consultation answer without its greeting, thanks, sign-off and referral tail; only whole sentences at both ends are taken. */
export function stripBoilerplate(answer: string): string {
  let text = answer
    .replace(/(?:\s*-->\s*(?:<link>|https?:\S+)?)\s*$/i, ' -->')
    .replace(/(?<=^|[.!?\n])[^.!?\n]*\bonline\s*-->\s*$/i, '')
    .replace(/\s*-->\s*$/, '')
    .trim();
  for (let left = sentencesOf(text); left.length > 0;) {
    const [first = ''] = left;
    const last = left.at(-1) ?? '';
    if (isBoilerplate(first)) text = text.slice(text.indexOf(first) + first.length).trim();
    else if (isBoilerplate(last)) text = text.slice(0, text.lastIndexOf(last)).trim();
    else break;
    left = sentencesOf(text);
  }
  return text.replace(/^(?:hi|hello|dear)(?: (?:there|doctor|dear|friend|sir|madam|user))?\s*[,.!]+\s*/i, '').trim();
}
