import { STOP_WORDS, stem, words } from '../text/words.ts';

/** A token of an atom that its block must keep: its kind decides how the block is searched for it. */
export interface CriticalToken {
  readonly kind: 'number' | 'caps' | 'mixed' | 'code' | 'name';
  readonly value: string;
}

const CARDINALS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const COMPOUND = new RegExp(`\\b(${TENS.join('|')})[-\\s](${CARDINALS.slice(1, 10).join('|')})\\b`, 'giu');
const ORDINALS =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
const UNIT =
  '(?:minute|hour|day|night|week|fortnight|month|year|decade|gram|kilogram|kilo|litre|liter|millilitre|milliliter|metre|meter|kilometre|kilometer|mile|inch|cup|spoonful|teaspoon|tablespoon|tablet|pill|dose|euro|dollar|kg|mg|g|ml|km|cm|mm)';
const ONE_BEFORE_UNIT = new RegExp(`\\b(?:an?|one)\\s+(?:single\\s+|whole\\s+|full\\s+)?(?=${UNIT}\\b)`, 'giu');
const ONE_MORE_WAYS = new RegExp(
  `\\b(?:per|each|every|last|past|previous|next)\\s+(?=${UNIT}\\b)|\\b(?:daily|nightly|weekly|monthly|yearly|annually)\\b`,
  'giu',
);
const CODE_SPAN = /`+([^`]+)`+/gu;

/** Tokens a text cannot lose without losing meaning (RULES, naturalization). `knownNames` are words also called names at a sentence's start. */
export function criticalTokens(text: string, knownNames: readonly string[] = []): readonly CriticalToken[] {
  const code = [...text.matchAll(CODE_SPAN)].map((match) => ({ kind: 'code' as const, value: squeeze(match[1] ?? '') }));
  const prose = plainProse(text);
  const numbers = [...digitNumbers(prose), ...numberWords(prose, CARDINALS.slice(2), 2), ...oneBeforeUnit(prose)];
  const caps: readonly string[] = prose.match(/(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu) ?? [];
  const first = /^\P{L}*(\p{Lu}[\p{L}\p{M}]*)(?!\p{N})/u.exec(prose)?.[1] ?? '';
  const names = [...(knownNames.includes(first) ? [first] : []), ...namesIn(text)];
  const found: readonly CriticalToken[] = [
    ...code,
    ...numbers.map((value) => ({ kind: 'number' as const, value })),
    ...mixedTokens(prose).map((value) => ({ kind: 'mixed' as const, value })),
    ...caps.map((value) => ({ kind: 'caps' as const, value })),
    ...names.filter((name) => !caps.includes(name)).map((value) => ({ kind: 'name' as const, value })),
  ];
  return [...new Map(found.map((token) => [`${token.kind} ${token.value}`, token])).values()];
}

/** Critical tokens of each atom that its block does not hold, after all normalisations; one list per atom, in order. */
export function missingCriticalTokens(
  atoms: readonly string[],
  block: string,
  knownNames: readonly string[] = [],
): readonly (readonly CriticalToken[])[] {
  const held = tokensHeldBy(block);
  return atoms.map((atom) => criticalTokens(atom, knownNames).filter(({ kind, value }) => !held[kind](value)));
}

/** For each kind of token, whether a block holds one of that value. */
function tokensHeldBy(block: string): Readonly<Record<CriticalToken['kind'], (value: string) => boolean>> {
  const prose = plainProse(block);
  const numbers = new Set([
    ...digitNumbers(prose),
    ...numberWords(prose, CARDINALS, 0),
    ...numberWords(prose, ORDINALS, 0),
    ...oneBeforeUnit(prose),
    ...(prose.match(ONE_MORE_WAYS) ?? []).map(() => '1'),
  ]);
  const whole = squeeze(block.replaceAll('`', ''));
  const caps = new Set(prose.match(/\p{Lu}{2,}/gu) ?? []);
  const mixed = new Set(mixedTokens(prose));
  const stems = new Set(words(block).map(stem));
  return {
    code: (value) => whole.includes(value),
    number: (value) => numbers.has(value),
    caps: (value) => caps.has(value),
    mixed: (value) => mixed.has(value),
    name: (value) => words(value).every((word) => stems.has(stem(word))),
  };
}

/** Numbers of a block that no atom of it holds: something was added. */
export function addedNumbers(atoms: readonly string[], block: string): readonly string[] {
  const present = new Set(
    atoms.flatMap((atom) => {
      const prose = plainProse(atom);
      return [...digitNumbers(prose), ...numberWords(prose, CARDINALS, 0), ...numberWords(prose, ORDINALS, 0), ...oneBeforeUnit(prose)];
    }),
  );
  return [...new Set(digitNumbers(plainProse(block)))].filter((value) => !present.has(value));
}

/** Words capitalised in mid-sentence that are no function words, possessive endings dropped. */
export function namesIn(text: string): readonly string[] {
  const prose = text.replace(CODE_SPAN, ' ');
  const names: string[] = [];
  for (const match of prose.matchAll(/\p{Lu}[\p{L}\p{M}]*(?:['’]\p{L}+)?(?![\p{L}\p{N}])/gu)) {
    const before = prose.slice(Math.max(0, match.index - 12), match.index);
    if (/[\p{L}\p{N}]$/u.test(before)) continue;
    if (/(?:^|[.!?:]["'”’)\]]*\s+)["'“‘(]*$/u.test(before)) continue;
    const name = match[0].replace(/['’]\p{L}+$/u, '');
    if (name.length > 1 && !STOP_WORDS.has(name.toLowerCase())) names.push(name);
  }
  return names;
}

/** "twenty-one" to "ninety-nine" as digits, so that their halves are not taken for numbers of their own. */
function compoundNumbers(text: string): string {
  return text.replace(COMPOUND, (_, tens: string, ones: string) => {
    return String((TENS.indexOf(tens.toLowerCase()) + 2) * 10 + CARDINALS.indexOf(ones.toLowerCase()));
  });
}

function squeeze(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** Prose without code spans; dashes folded, thousands joined, `100x100` split, letters after digits (`120Hz`) set apart. */
function plainProse(text: string): string {
  return compoundNumbers(text.replace(CODE_SPAN, ' ').normalize('NFKC'))
    .replace(/[\u2010-\u2015\u2212]/gu, '-')
    .replace(/(?<=\d),(?=\d{3}(?!\d))/gu, '')
    .replace(/(?<=\d)[x×](?=\d)/giu, ' ')
    .replace(/(?<![\p{L}\p{N}])(\d+(?:\.\d+)?)(?=\p{L})/gu, '$1 ');
}

/** Digit runs that belong to no letter-first token; decimals whole, ranges, times and fractions as their parts. */
function digitNumbers(prose: string): readonly string[] {
  return prose.match(/(?<![\p{L}\p{N}.])\d+(?:\.\d+)?(?![\p{N}])|(?<=[^\p{L}\p{N}]\.)\d+/gu) ?? [];
}

/** Letter-first tokens that hold a digit (`A5`, `Mirko7`, `utf8`), lower case. */
function mixedTokens(prose: string): readonly string[] {
  return (prose.match(/(?<![\p{L}\p{N}])\p{L}+\p{N}[\p{L}\p{N}]*/gu) ?? []).map((token) => token.toLowerCase());
}

function numberWords(prose: string, list: readonly string[], offset: number): readonly string[] {
  return words(prose).flatMap((word) => {
    const index = list.indexOf(word);
    return index < 0 ? [] : [String(index + offset)];
  });
}

function oneBeforeUnit(prose: string): readonly string[] {
  return (prose.match(ONE_BEFORE_UNIT) ?? []).map(() => '1');
}
