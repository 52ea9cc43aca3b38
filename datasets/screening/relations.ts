import { createPatternSet } from '../pattern-set/pattern-set.ts';

const RELATION_WORDS =
  'because|but|after|before|when|while|since|although|though|however|so that|unless|until|if|then|therefore|instead|whenever|despite'.split(
    '|',
  );
const RELATIONS = createPatternSet(RELATION_WORDS.map((word) => new RegExp(String.raw`\b${word}\b`, 'i')));
const NUMBERS = RELATION_WORDS.map((_, number) => number);

/** Number of different relation words of a text: a sign that its facts hang together. */
export function relationCount(text: string): number {
  const { has, isNone } = RELATIONS.scan(text);
  return isNone ? 0 : NUMBERS.filter(has).length;
}
