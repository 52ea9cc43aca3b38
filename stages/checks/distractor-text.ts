import type { Breach } from '../settle.ts';
import { bringsBack } from './dropped.ts';
import { firstPerson } from './first-person.ts';
import { isOneSentence } from './one-sentence.ts';

/** What a distractor may not say, besides what its step knows. */
export interface DistractorBounds {
  readonly leftOut: readonly string[];
  readonly requestTerms: readonly string[];
}

/** Rules of form that hold for every distractor text (SPEC §4.3, §4.4); `path` names its place in the reply. */
export function distractorBreaches(text: string, path: string, bounds: DistractorBounds): readonly Breach[] {
  const breaches: Breach[] = [];
  if (!isOneSentence(text)) breaches.push({ rule: 'not_one_sentence', path, message: 'write exactly one plain sentence on one line' });
  const first = firstPerson(text);
  if (first.length > 0)
    breaches.push({ rule: 'first_person', path, message: `write in the third person ("The user ..."); it says "${first.join('", "')}"` });
  if (bounds.leftOut.some((fact) => bringsBack(fact, text, bounds.requestTerms)))
    breaches.push({ rule: 'left_out_fact', path, message: 'it brings back a fact of left_out; write about something else' });
  return breaches;
}

/** Breach of a distractor that supports, implies or presupposes another atom, as its writer itself says; `none` breaks nothing. */
export function givesAwayBreach(givesAway: string, path: string): readonly Breach[] {
  if (/^\W*none\W*$/iu.test(givesAway)) return [];
  return [
    {
      rule: 'gives_away',
      path,
      message: `by your own word it gives away "${givesAway}"; write one that supports, implies and presupposes no other atom`,
    },
  ];
}
