import { coverage } from '../../../stages/text/words.ts';
import { splitSentences } from '../text/sentences.ts';
import { splitClauses } from './clauses.ts';
import { taskFact } from './coding.ts';
import type { Fact, RowTexts } from './fact.ts';
import { fieldsOf } from './fact.ts';
import { openerLength } from './openers.ts';
import { personalFact, relativeIn } from './personal.ts';
import type { Relative } from './personal.ts';
import { toldFact } from './told.ts';
import { weigh } from './weight.ts';
import { wishFact } from './wishes.ts';

const MAX_QUOTE = 600;

/** A task that says "you" speaks of the user: the same statement in the first person; orders stay as they are. */
function asOwn(clause: string): string {
  if (
    !/\byour?\b/i.test(clause) ||
    /\b(?:given|task is|goal is|job is|should|must|have to|need to|can|will|may|assume|think|know|help|tell)\b/i.test(clause)
  )
    return clause;
  return clause
    .replace(/\bYou are\b/g, 'I am')
    .replace(/\byou are\b/g, 'I am')
    .replace(/\byou\b/gi, 'I')
    .replace(/\bYour\b/g, 'My')
    .replace(/\byour\b/g, 'my');
}

/** Facts in a user's field: personal ones, wishes and, in coding, what is guaranteed about the task. */
function userFacts(field: string, text: string, row: RowTexts, base: number): readonly Fact[] {
  const out: Fact[] = [];
  let relative: Relative | null = null;
  for (const sentence of splitSentences(text)) {
    const skip = openerLength(sentence.text);
    const body = { text: sentence.text.slice(skip), start: sentence.start + skip, end: sentence.end };
    const add = (found: string | null, quote: string, bonus: number): void => {
      if (found !== null && quote.length >= 8 && quote.length <= MAX_QUOTE)
        out.push({ text: found, field, quote, weight: base + bonus + weigh(found, row.domain) });
    };
    for (const clause of splitClauses(body)) {
      add(
        personalFact(row.domain === 'coding' ? asOwn(clause.text) : clause.text, row.domain, relative),
        clause.text.replace(/[\s.!,;]+$/, ''),
        1,
      );
      relative = relativeIn(clause.text) ?? relative;
    }
    if (row.domain === 'coding') add(taskFact(body.text, text), body.text, 0);
    else add(wishFact(body.text), body.text, 0.5);
  }
  return out;
}

function told(field: string, text: string, row: RowTexts): readonly Fact[] {
  return splitSentences(text)
    .map((sentence) => ({ sentence, found: toldFact(sentence.text) }))
    .flatMap(({ sentence, found }) =>
      found === null ? [] : [{ text: found, field, quote: sentence.text, weight: weigh(found, row.domain) - 1 }],
    )
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 2);
}

/** Drops a fact that repeats or contains another one. */
function distinct(facts: readonly Fact[]): readonly Fact[] {
  const kept: Fact[] = [];
  for (const fact of facts) {
    const clash = kept.some((other) => coverage(fact.text, other.text) >= 0.6 || coverage(other.text, fact.text) >= 0.6);
    if (!clash) kept.push(fact);
  }
  return kept;
}

/** Every distinct fact about the user that the row states in words, most consequential first. */
export function collectFacts(row: RowTexts): readonly Fact[] {
  const all = fieldsOf(row).flatMap((field) =>
    field.speaker === 'user'
      ? userFacts(field.field, field.text, row, field.field === 'question' ? 0.2 : 0)
      : field.speaker === 'assistant'
        ? told(field.field, field.text, row)
        : [],
  );
  return distinct([...all].sort((a, b) => b.weight - a.weight));
}
