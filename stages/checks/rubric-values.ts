/** Values every rubric may hold: counts of zero and one. */
const FREE_VALUES: ReadonlySet<string> = new Set(['0', '1']);
/** Words written in capitals for emphasis, and the names of the three levels. */
const EMPHASIS: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT', 'NO', 'ANY', 'ALL', 'ONLY', 'NONE', 'MUST', 'OK']);

/**
 * Numbers and identifiers of a text, lower case: digit runs (thousands joined, units split off), letter-digit tokens, snake_case,
 * camelCase, all-caps abbreviations, and every identifier inside a code span.
 */
export function valuesOf(text: string): readonly string[] {
  const flat = text
    .normalize('NFKC')
    .replace(/[\u2010-\u2015\u2212]/gu, '-')
    .replace(/(?<=\d),(?=\d{3}(?!\d))/gu, '');
  const values = new Set<string>();
  const prose = flat.replace(/`+([^`]+)`+/gu, (_, code: string) => {
    for (const identifier of code.match(/[\p{L}_][\p{L}\p{N}_]*|\d+(?:\.\d+)?/gu) ?? []) values.add(identifier.toLowerCase());
    return ' ';
  });
  for (const token of prose.match(/[\p{L}\p{N}_]+(?:\.\d+)?/gu) ?? []) {
    for (const value of valuesOfToken(token)) values.add(value);
  }
  return [...values];
}

/** Everything in some texts that a rubric may name as a value, lower case. */
export function knownValues(texts: readonly string[]): ReadonlySet<string> {
  return new Set(
    texts.flatMap((text) => [
      ...valuesOf(text),
      ...(text
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\p{L}\p{N}_]+/gu) ?? []),
    ]),
  );
}

/** Values of a rubric that are not known from the texts it may draw on. */
export function strayValues(rubric: string, known: ReadonlySet<string>): readonly string[] {
  return valuesOf(rubric).filter((value) => !FREE_VALUES.has(value) && !known.has(value));
}

function valuesOfToken(token: string): readonly string[] {
  if (/^\d/u.test(token)) return token.match(/\d+(?:\.\d+)?/gu) ?? [];
  if (/\d/u.test(token) || /_/u.test(token.replace(/^_+|_+$/gu, '')) || /\p{Ll}\p{Lu}/u.test(token)) return [token.toLowerCase()];
  return /^\p{Lu}{2,}s?$/u.test(token) && !EMPHASIS.has(token) ? [token.replace(/s$/u, '').toLowerCase()] : [];
}
