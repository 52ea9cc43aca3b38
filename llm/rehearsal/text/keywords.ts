import { STOP_WORDS, stem } from '../../../stages/text/words.ts';

const EMPTY = new Set(
  'user told earlier task guaranteed answer wants people close team also very much lot still back thing things way well good bad new old big small time times day days week weeks month months year years first last able going know think feel want need please doctor hello currently recently ago since'.split(
    ' ',
  ),
);

/** Surface words of a text that carry content, in order, as they stand; apostrophes folded. */
export function surfaceWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+(?:['’.,/:-][\p{L}\p{N}]+)*/gu) ?? [];
}

/** The content words of a statement as one phrase for rubrics and reasons ("Ramipril 5 mg every morning seven weeks"), at most `most` words. */
export function keyPhrase(text: string, most: number): string {
  const seen = new Set<string>();
  const out: string[] = [];
  for (const word of surfaceWords(text)) {
    const lower = word.toLowerCase();
    const root = stem(lower);
    if (STOP_WORDS.has(lower) || EMPTY.has(lower) || seen.has(root)) continue;
    seen.add(root);
    out.push(word);
    if (out.length >= most) break;
  }
  return out.length === 0 ? text.replace(/\.$/, '') : out.join(' ');
}

/** The statement without its full stop and with a small first letter unless a name opens it. */
export function asClause(text: string): string {
  const bare = text.trim().replace(/\.$/, '');
  return /^(?:The|In|For|At|On|Since|Two|Three|A|An|There|During|After|Before|Every|From|Of|As|Now)\b/.test(bare)
    ? `${bare.charAt(0).toLowerCase()}${bare.slice(1)}`
    : bare;
}
