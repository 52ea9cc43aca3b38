import { contentStems, words } from '../../../stages/text/words.ts';
import { toThirdPerson } from '../text/person.ts';

const WISH =
  /^(?:please\s+|and\s+|also,?\s+)?(make sure(?: that)?|ensure(?: that)?|be sure to|include|use|avoid|keep|limit|focus on|do not|don't|add|mention|consider|start with|end with|set)\s+(?:you\s+)?/i;
const VERBAL = /^(?:include|use|avoid|keep|limit|focus on|add|mention|consider|start with|end with|set)$/i;

/** A wish about the answer ("Keep it under 500 words") as a standing preference of the user's, or null. */
export function wishFact(sentence: string): string | null {
  const bare = sentence
    .replace(/\s+/g, ' ')
    .replace(/[\s.:;!]+$/, '')
    .trim();
  const match = WISH.exec(bare);
  if (match === null || /[?:]|\byou(?:r)?\b/i.test(bare.slice(match[0].length))) return null;
  const verb = (match[1] ?? '').toLowerCase();
  const rest = bare.slice(match[0].length);
  if (/\b(?:this|these|those|above|following|previous|same)\b/i.test(rest) || /^(?:it|them|they|its)\b/i.test(rest)) return null;
  const clause = VERBAL.test(verb)
    ? `I want the answer to ${verb} ${rest}`
    : /^(?:do not|don't)$/.test(verb)
      ? `I want the answer not to ${rest}`
      : verb === 'be sure to'
        ? `I want the answer to ${rest}`
        : `I want it to be certain that ${rest}`;
  if (clause.startsWith('I want it')) return null;
  const text = toThirdPerson(clause);
  if (text === null) return null;
  const count = words(text).length;
  return count >= 8 && count <= 32 && contentStems(text).length >= 4 && text.length <= 240 ? text : null;
}
