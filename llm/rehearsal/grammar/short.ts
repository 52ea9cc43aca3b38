import { pickAt } from '../draw.ts';
import { ADJECTIVES } from './frames.ts';
import type { Shape } from './compose.ts';
import { NAMES_OF_PEOPLE, TOWNS } from './modifiers.ts';

const VERBS = 'owns|likes|keeps|paints|collects|repairs|sketches|photographs|polishes|borrows|sells|dusts|carves|names|admires|mends'.split(
  '|',
);
const NOUNS = (
  'ladle|teapot|lantern|kite|basket|scarf|violin|bookend|postcard|candlestick|magnet|teaspoon|hat|marble|bell|whistle|puppet|globe|tray|flute|stamp|thimble|jug|ribbon|' +
  'quilt|stool|mirror|banner|drum|rattle|kettle|vase|button|pebble|feather|acorn|canoe|sundial|hammock|trellis|accordion|typewriter|doorstop|weathervane|tablecloth|keyring|snowglobe|' +
  'bookmark|cushion|compass|harmonica|pennant|bobbin|lampshade|doormat|birdhouse|scrapbook|paperweight|egg-cup|napkin|toboggan|pinwheel|lute|medallion'
).split('|');
const PLACES = 'at home|in summer|on Sundays|every autumn|near Delft|at school|in winter|on holiday|for fun|in spring'.split('|');

/** A sentence of four to nine words about one thing that has no use; counts are exact. */
export function shortSentence(shape: Shape, uniform: () => number): string | null {
  if (shape.words < 4 || shape.words > 9) return null;
  const noun = pickAt(NOUNS, uniform());
  const verb = pickAt(VERBS, uniform());
  const number = String(Math.floor(10 ** (shape.digits - 1) * (shape.digits === 1 ? 2 + uniform() * 7.9 : 1 + uniform() * 8.9)));
  const words =
    shape.holds === 'number'
      ? ['The', 'user', verb, shape.digits === 4 ? String(1951 + Math.floor(uniform() * 66)) : number, `${noun}s`]
      : shape.holds === 'name'
        ? ['The', 'user', verb, `${pickAt(uniform() < 0.5 ? NAMES_OF_PEOPLE : TOWNS, uniform())}'s`, noun]
        : ['The', 'user', verb, /^[aeiou]/.test(noun) ? 'an' : 'a', noun];
  const plain = ADJECTIVES.filter((adjective) => /^[^aeiou ]+[^ ]*$/.test(adjective) && !/^[aeiou]/.test(adjective));
  while (words.length < shape.words) {
    const left = shape.words - words.length;
    if (left >= 2 && !words.some((word) => PLACES.some((place) => place.endsWith(word))))
      words.push(...pickAt(PLACES, uniform()).split(' '));
    else words.splice(words.indexOf(words.find((word) => word.startsWith(noun)) ?? noun), 0, pickAt(plain, uniform()));
  }
  const text = words
    .join(' ')
    .replace(/\ban (?=[^aeiou])/, 'a ')
    .replace(/\ba (?=[aeiou])/, 'an ');
  return words.length === shape.words ? `${text}.` : null;
}
