import { coverage } from '../../../stages/text/words.ts';
import type { Draw } from '../draw.ts';
import type { Fact, RowTexts } from '../facts/fact.ts';
import type { Ask } from './candidates.ts';
import { asksOf } from './candidates.ts';
import { requestTerms, stemsOf } from './terms.ts';
import { topicOf } from './topic.ts';

/** Stands at the end of every coding query (SPEC §4.2). */
export const CODING_CONTRACT = 'Answer in prose without code blocks and name identifiers where they matter.';

const PLAIN: Readonly<Record<RowTexts['domain'], readonly string[]>> = {
  health: [
    'What should I do about my {topic}?',
    'How would you advise me to deal with my {topic}?',
    'What could be behind my {topic}, and what comes next?',
    'Which steps make sense now for my {topic}?',
    'Is there anything to be done about my {topic}?',
    'How worried should I be about my {topic}, and whom should I see?',
  ],
  general: [
    'What would you suggest to me on the matter of {topic}?',
    'How should I go about {topic} from here?',
    'Which advice on {topic} fits me best?',
    'What do you recommend to me when it comes to {topic}?',
  ],
  coding: [
    'How would you plan an approach to my problem with {topic}?',
    'Which method suits my task about {topic}, and why?',
    'How should I reason about {topic} before writing a program?',
    'What is a sound way to tackle the {topic} part of my task?',
  ],
};
const NO_TOPIC = [
  'What would you advise me to do next?',
  'How should I go on from here, in your opinion?',
  'Which way forward do you see for me?',
];

/** A query, its request terms, and the facts it leaves hidden. */
export interface BuiltQuery {
  readonly query: string;
  readonly terms: readonly string[];
  readonly facts: readonly Fact[];
}

function phrase(ask: Ask, domain: RowTexts['domain'], topic: string | null): string | null {
  if (ask.kind === 'request' && domain === 'coding') {
    const task = ask.text.replace(/\.$/, '');
    return `How should I plan a program that has to do the following: ${task.charAt(0).toLowerCase()}${task.slice(1)}?`;
  }
  if (!ask.leans) return ask.text;
  if (topic === null || /\b(?:he|she|him|her|they|them|above|following|below)\b/i.test(ask.text)) return null;
  return `I have a question about ${domain === 'health' ? 'my ' : ''}${topic}. ${ask.text}`;
}

function tryQuery(text: string, facts: readonly Fact[]): BuiltQuery | null {
  const hidden = facts.filter((fact) => coverage(fact.text, `user ${text}`) < 0.5);
  if (hidden.length < Math.min(2, facts.length)) return null;
  const terms = requestTerms(text, stemsOf(hidden.flatMap((fact) => [fact.text, fact.quote])));
  return terms === null ? null : { query: text, terms, facts: hidden };
}

/** The query of a row: what it asks, without what its facts say; `plain` skips the row's own wording (used after a leak was named). */
export function buildQuery(row: RowTexts, facts: readonly Fact[], draw: Draw, plain: boolean): BuiltQuery {
  const users = [...row.context.filter((field) => field.speaker === 'user').map((field) => field.text), row.question];
  const asks = asksOf(row);
  const topic =
    topicOf(
      asks.map((ask) => ask.text),
      row.domain,
    ) ?? topicOf(users, row.domain);
  const contract = row.domain === 'coding' ? ` ${CODING_CONTRACT}` : '';
  const own = plain ? [] : asks.flatMap((ask) => phrase(ask, row.domain, topic) ?? []);
  const templates = topic === null ? NO_TOPIC : PLAIN[row.domain].map((template) => template.replace('{topic}', topic));
  const turn = Math.floor(draw.uniform('query', 'template') * templates.length);
  const rotated = [...templates.slice(turn), ...templates.slice(0, turn), ...NO_TOPIC];
  for (const text of [...own, ...rotated]) {
    const built = tryQuery(text, facts);
    if (built !== null) return { ...built, query: `${built.query}${contract}` };
  }
  return { query: `${NO_TOPIC[0] ?? ''}${contract}`, terms: [], facts };
}
