import type { DerivePayload } from '../../schemas/payloads.ts';
import type { DeriveReply } from '../../schemas/replies/derive.ts';
import { coverage } from '../../stages/text/words.ts';
import type { Draw } from './draw.ts';
import { pickAt } from './draw.ts';
import { collectFacts } from './facts/collect.ts';
import type { Fact } from './facts/fact.ts';
import { buildQuery } from './query/build.ts';
import { keyPhrase } from './text/keywords.ts';

const REASONS = [
  'would add nothing that the chosen facts do not already test',
  'two careful experts could disagree on whether it matters',
  'too far from what is asked to be judged in an answer',
  'follows from another fact that is kept',
];

/** Sizes of passages for a number of facts: one to three facts each. */
function passageSizes(count: number, draw: Draw): readonly number[] {
  const sizes: number[] = [];
  let left = count;
  while (left > 0) {
    const size = Math.min(left, pickAt([1, 2, 2, 3], draw.uniform('passage', sizes.length)));
    sizes.push(size);
    left -= size;
  }
  return sizes;
}

function passagesOf(facts: readonly Fact[], draw: Draw): DeriveReply['passages'] {
  let from = 0;
  return passageSizes(facts.length, draw).map((size) => {
    const group = facts.slice(from, from + size);
    from += size;
    return {
      title: keyPhrase(group[0]?.text ?? '', 3).slice(0, 80),
      text: group.map((fact) => fact.text).join(' '),
      evidence: group.map(({ field, quote }) => ({ field, quote })),
    };
  });
}

/** How a derivation is asked again: with the row's own wording left out of the query, and with facts left out whose quotes failed. */
export interface DeriveOptions {
  readonly plainQuery: boolean;
  readonly withoutPassages: readonly number[];
}

/** Derivation from the row's own words: two to four of the user's facts as passages, the question without them as the query. */
export function answerDerive(
  payload: DerivePayload,
  draw: Draw,
  options: DeriveOptions = { plainQuery: false, withoutPassages: [] },
): DeriveReply {
  const found = collectFacts(payload);
  const wanted = pickAt([2, 2, 3, 3, 3, 4, 4], draw.uniform('facts'));
  const built = buildQuery(payload, found.slice(0, wanted), draw, options.plainQuery);
  const order = new Map(found.map((fact) => [fact, payload.question.indexOf(fact.quote)]));
  const kept = [...built.facts].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  const passages = passagesOf(kept, draw).filter((_, at) => !options.withoutPassages.includes(at));
  const memory = passages.map((passage) => passage.text).join(' ');
  const dropped = found
    .slice(wanted)
    .filter((fact) => coverage(fact.text, built.query) < 0.4 && coverage(fact.text, memory) < 0.4)
    .slice(0, 4)
    .map((fact, at) => ({ text: fact.text, reason: draw.pick(REASONS, 'dropped', at) }));
  return { query: built.query, request_terms: [...built.terms], passages, dropped };
}
