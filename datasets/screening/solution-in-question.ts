/** Lowest share of the answer's 10-token n-grams that already stand in the question (RULES). */
export const MAX_SOLUTION_SHARE = 0.8;
const N = 10;

function tokensOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_`]/gu) ?? [];
}

function grams(tokens: readonly string[]): ReadonlySet<string> {
  const set = new Set<string>();
  for (let i = 0; i + N <= tokens.length; i += 1) set.add(tokens.slice(i, i + N).join(' '));
  return set;
}

/** Share of the answer's 10-token n-grams found in the question; 0 for answers shorter than that. */
export function solutionShare(question: string, answer: string): number {
  const wanted = grams(tokensOf(answer));
  if (wanted.size === 0) return 0;
  const present = grams(tokensOf(question));
  let found = 0;
  for (const gram of wanted) if (present.has(gram)) found += 1;
  return found / wanted.size;
}
