import { stemmer } from 'stemmer';

/** Function words that carry no content of their own; compared in lower case. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all almost also although always am among an and another any are around as at away be because been before being ' +
    'below between both but by can could did do does doing done down during each either else enough etc even ever every few for from further get gets ' +
    'getting got had has have having he her here hers herself him himself his how however i if in into is it its itself just least less let like made ' +
    'make makes many may me might mine more most much must my myself neither never no nor not now of off often on once one only onto or other others our ' +
    'ours ourselves out over own per quite rather really same she should since so some such than that the their theirs them themselves then there these ' +
    'they this those though through till to too toward towards under until up upon us use used user users uses using very was we well were what whatever ' +
    'when whenever where whether which while who whom whose why will with within without would yet you your yours yourself ' +
    "don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't i'm i've i'd i'll it's that's there's user's"
  ).split(' '),
);

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
/** The same for ASCII in lower case, which most texts are: twice as fast. */
const ASCII_WORD = /[a-z0-9]+(?:'[a-z]+)*/g;
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;

/** Keeps the results of a pure function of a text: checks ask about the same few texts again and again. */
function remembered<T>(compute: (text: string) => T, most: number): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const value = compute(text);
    if (known.size >= most) known.clear();
    known.set(text, value);
    return value;
  };
}

const stemOf = remembered(stemmer, 20_000);
const stemsOf = remembered(
  (text): readonly string[] =>
    words(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem),
  4000,
);

/** Words of a text in order, lower case, apostrophes folded, hyphenated compounds split. */
export function words(text: string): readonly string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  return (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map((word) => (word.includes('’') ? word.replaceAll('’', "'") : word));
}

/** Stem of one lower-case word (Porter); the possessive ending is dropped and numbers stay as they are. */
export function stem(word: string): string {
  const bare = word.replace(/'s$/, '');
  return /\p{N}/u.test(bare) ? bare : stemOf(bare);
}

/** Stems of the words that are no stop words, in order, repeats kept. */
export function contentStems(text: string): readonly string[] {
  return stemsOf(text);
}

/** Share of the distinct content stems of `part` that stand in `whole`; 1 when `part` has none. */
export function coverage(part: string, whole: string): number {
  const wanted = new Set(contentStems(part));
  if (wanted.size === 0) return 1;
  const present = new Set(contentStems(whole));
  let found = 0;
  for (const item of wanted) if (present.has(item)) found += 1;
  return found / wanted.size;
}
