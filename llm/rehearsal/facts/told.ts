import { contentStems, words } from '../../../stages/text/words.ts';
import { hasFirstPerson } from '../text/person.ts';

/** What an assistant said earlier as something the user was told, or null: an assistant turn yields nothing else (SPEC §4.2). */
export function toldFact(sentence: string): string | null {
  const bare = sentence
    .replace(/\*\*/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[\s.!;,]+$/, '')
    .trim();
  if (
    /[?:|#`]|\b(?:you|your|let me|sorry|apologize|as an ai|sure|certainly|here are|here is|hope)\b|^(?:it|this|that|these|those|they|he|she|and|but|also|however|additionally|for example|overall|in conclusion)\b/i.test(
      bare,
    )
  )
    return null;
  if (
    / [-–—] |^[A-Z][a-z]+ (?:how|the|your|a|an) /.test(bare) &&
    !/^(?:The|In|On|For|With|As|All|Some|Many|Most|Using|When|If) /.test(bare)
  )
    return null;
  if (
    hasFirstPerson(bare) ||
    !/^[A-Z]/.test(bare) ||
    !/\b(?:is|are|can|has|have|was|were|will|should|may|requires?|helps?|offers?|provides?|includes?)\b/.test(bare)
  )
    return null;
  const keepsCase = /^[A-Z]\w*[A-Z]|^[A-Z]+\b/.test(bare) || /^(?:[A-Z][a-z]+ [A-Z])/.test(bare);
  const opened = keepsCase
    ? bare
    : /^(?:The|A|An|Some|Many|Most|All|There|One|In|On|For|With|When|If|Using|Each|As|By|From|To|At|Its|Both|Several|Other)\b/.test(bare)
      ? `${bare.charAt(0).toLowerCase()}${bare.slice(1)}`
      : bare;
  const text = `The user was told earlier that ${opened}.`;
  const count = words(text).length;
  return count >= 11 && count <= 34 && contentStems(text).length >= 5 && text.length <= 240 ? text : null;
}
