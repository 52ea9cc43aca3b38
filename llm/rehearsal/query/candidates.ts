import { splitClauses } from '../facts/clauses.ts';
import type { RowTexts } from '../facts/fact.ts';
import { openerLength } from '../facts/openers.ts';
import { contentStems, words } from '../../../stages/text/words.ts';
import { splitSentences } from '../text/sentences.ts';

const ASKS =
  /^(?:what|how|why|which|where|when|who|whom|whose|can|could|should|shall|would|will|is|are|am|do|does|did|was|were|has|have|may|might|any)\b/i;
const REQUEST =
  /^(?:please |kindly |now |then |can you |could you |would you )*(write|explain|give|create|suggest|tell|describe|list|help|recommend|provide|summari[sz]e|generate|find|calculate|implement|design|determine|complete|return|count|print|compute|define|build|develop|advise|convert|output|check|make|draft|outline|compare|analy[sz]e|rewrite|translate|plan|propose|define|given .{3,120}, (?:find|return|compute|determine|calculate))\b/i;
const POINTS = /\b(?:this|that|these|those|it|its|they|them|he|she|him|her|his|their|above|following|below|such)\b/i;

/** A sentence of the user's that asks for something. */
export interface Ask {
  readonly text: string;
  readonly kind: 'question' | 'request';
  /** Whether it leans on words that stand elsewhere. */
  readonly leans: boolean;
}

function finish(text: string): string {
  const bare = text
    .replace(/^Q\s*[.:]\s*/i, '')
    .replace(/\*\*/g, '')
    .replace(/\s+/g, ' ')
    .replace(/\s*[?!.,;:]+$/, '')
    .trim();
  return bare === '' ? '' : `${bare.charAt(0).toUpperCase()}${bare.slice(1)}`;
}

function asksIn(text: string): readonly Ask[] {
  return splitSentences(text.replace(/^\s*Q\s*[.:]\s*/i, '')).flatMap((sentence) => {
    const skip = openerLength(sentence.text);
    const clauses = splitClauses({ text: sentence.text.slice(skip), start: 0, end: 0 });
    return clauses.flatMap((clause): readonly Ask[] => {
      const bare = clause.text
        .slice(openerLength(clause.text))
        .replace(/^(?:and|so|but|then|or|also|my question is|question)\s*[,:]?\s+/i, '')
        .replace(/^(?:that|whether|is)\s*[:,]\s*/i, '');
      const isLast = clause === clauses.at(-1);
      const isQuestion = ASKS.test(bare) && (isLast ? /\?\s*$/.test(sentence.text) : true);
      const isRequest = !isQuestion && REQUEST.test(bare);
      const body = finish(bare.replace(/^(?:please|kindly|now|then)\s+/i, ''));
      const count = words(body).length;
      if ((!isQuestion && !isRequest) || count < 3 || count > 45 || /[{}<>|]|```/.test(body)) return [];
      const content = contentStems(body).length;
      const leans = content < 2 || (content < 3 && count < 7) || POINTS.test(body);
      return [{ text: `${body}${isQuestion ? '?' : '.'}`, kind: isQuestion ? 'question' : 'request', leans }];
    });
  });
}

/** Everything the user asks, most usable first: whole questions of the last turn, then of earlier turns, then leaning ones. */
export function asksOf(row: RowTexts): readonly Ask[] {
  const own = asksIn(row.question);
  const earlier = [...row.context]
    .reverse()
    .filter((field) => field.speaker === 'user')
    .flatMap((field) => asksIn(field.text));
  const all = [...own, ...earlier]
    .filter((ask) => row.domain === 'coding' || !/^(?:find|check|output|return|print|count|define|complete|determine)\b/i.test(ask.text))
    .map((ask) => (row.domain === 'health' && ask.kind === 'request' ? { ...ask, leans: true } : ask));
  const rank = (ask: Ask): number => (ask.leans ? 2 : 0) + (ask.kind === 'request' && row.domain !== 'general' ? 1 : 0);
  return all
    .map((ask, at) => ({ ask, at }))
    .sort((a, b) => rank(a.ask) - rank(b.ask) || a.at - b.at)
    .map(({ ask }) => ask);
}
