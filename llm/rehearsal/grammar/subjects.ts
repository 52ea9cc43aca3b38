import { list } from './measured.ts';
import type { Measured } from './measured.ts';

const SUBJECTS: readonly (readonly [RegExp, readonly Measured[]])[] = [
  [/^the user$/, list('The user')],
  [/cousin/, list("The user's cousin|A cousin of the user|The user's older cousin|A distant cousin of the user")],
  [/neighbour/, list("The user's neighbour|A neighbour of the user|The user's upstairs neighbour|A neighbour across from the user")],
  [/colleague/, list("The user's colleague|A colleague of the user|The user's former colleague|A quiet colleague of the user")],
  [/flatmate/, list("The user's former flatmate|A former flatmate of the user|The user's first flatmate")],
  [/aunt or uncle/, list("The user's aunt|The user's uncle|An aunt of the user|An uncle of the user|The user's great-aunt")],
  [/school friend/, list("The user's old school friend|A school friend of the user|An old friend of the user")],
  [
    /club/,
    list(
      "The user's chess club|The user's choir|The user's rowing club|The user's book circle|The user's walking group|The user's quiz team",
    ),
  ],
];

/** Ways to name the person of a scene card as the subject of a sentence. */
export function subjectsOf(person: string): readonly Measured[] {
  return SUBJECTS.find(([match]) => match.test(person))?.[1] ?? list('The user');
}
