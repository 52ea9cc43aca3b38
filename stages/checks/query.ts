import type { Domain } from '../../schemas/levels.ts';
import type { DeriveReply } from '../../schemas/replies/derive.ts';
import type { Passage } from '../../schemas/workpiece.ts';
import type { Breach } from '../settle.ts';
import { answerContract } from '../text/contract.ts';
import { words } from '../text/words.ts';
import { bringsBack } from './dropped.ts';
import { holdsToken, markedTokens } from './marked-tokens.ts';
import { MAX_REQUEST_TERM_WORDS, requestTermBreaches, usedRequestTerms } from './request-terms.ts';
import { whyNotSelfContained } from './self-contained.ts';

/** Longest answer contract of a coding query, in words (examples §3). */
export const MAX_CONTRACT_WORDS = 20;

/** A coding query ends with an answer contract of its own sentence, which the leak rules leave out, so it may hold no value of a memory. */
function contractBreaches(query: string, memory: string): readonly Breach[] {
  const contract = answerContract(query);
  if (contract === '')
    return [
      {
        rule: 'answer_contract',
        path: 'query',
        message:
          'A coding query ends with one sentence of its own such as "Answer in prose without code blocks and name identifiers where they matter."',
      },
    ];
  const marked = markedTokens(memory);
  const values = [...marked.numbers, ...marked.identifiers, ...marked.codeSpans].filter((value) => holdsToken(contract, value));
  if (values.length > 0)
    return [{ rule: 'query_leak', path: 'query', message: `The last sentence holds "${values.join('", "')}", which belongs to a memory.` }];
  return words(contract).length <= MAX_CONTRACT_WORDS
    ? []
    : [{ rule: 'answer_contract', path: 'query', message: `Keep the last sentence of the query within ${MAX_CONTRACT_WORDS} words.` }];
}

/** Everything code can say against a derived query: it stands alone, gives no memory away and brings nothing back that was left out. */
export function queryBreaches(reply: DeriveReply, passages: readonly Passage[], domain: Domain): readonly Breach[] {
  const terms = usedRequestTerms(reply.query, reply.request_terms);
  const breaches: Breach[] = [];
  const why = whyNotSelfContained(reply.query);
  if (why !== null) breaches.push({ rule: 'query_not_self_contained', path: 'query', message: `The query cannot be read alone: ${why}.` });
  terms.forEach((term, index) => {
    if (words(term).length > MAX_REQUEST_TERM_WORDS)
      breaches.push({
        rule: 'query_leak',
        path: `request_terms.${index}`,
        message: `A request term names one thing in at most ${MAX_REQUEST_TERM_WORDS} words.`,
      });
  });
  passages.forEach((passage, index) => {
    const memory = [passage.text, ...passage.evidence.map((span) => span.quote)].join('\n');
    breaches.push(...requestTermBreaches(reply.query, terms, memory, `passages.${index}`));
  });
  reply.dropped.forEach((fact, index) => {
    if (bringsBack(fact.text, reply.query, terms))
      breaches.push({ rule: 'dropped_fact', path: `dropped.${index}`, message: 'The query states this fact although it was left out.' });
  });
  const memory = passages.map((passage) => passage.text).join('\n');
  return domain === 'coding' ? [...breaches, ...contractBreaches(reply.query, memory)] : breaches;
}
