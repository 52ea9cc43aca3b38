import { contentStems, coverage, words } from '../text/words.ts';

/** Above this share of content words one atom says what another says (highest honest value 0.50). */
export const CONTAINED_SHARE = 0.8;
/** A single shared word proves nothing. */
export const CONTAINED_MIN_WORDS = 2;

/** Whether two texts are equal after case folding and removal of punctuation. */
export function sameText(a: string, b: string): boolean {
  return words(a).join(' ') === words(b).join(' ');
}

/** Whether the content words of `part` stand in `whole` to the share that counts as contained. */
export function isContained(part: string, whole: string): boolean {
  return new Set(contentStems(part)).size >= CONTAINED_MIN_WORDS && coverage(part, whole) >= CONTAINED_SHARE;
}

/** Pairs of 0-based places where the second text repeats or holds the first, or the first the second; each pair once, in order. */
export function overlappingPairs(
  texts: readonly string[],
): readonly { readonly first: number; readonly second: number; readonly rule: string }[] {
  return texts.flatMap((a, first) =>
    texts.flatMap((b, second) => {
      if (second <= first) return [];
      if (sameText(a, b)) return [{ first, second, rule: 'duplicate_atom' }];
      return isContained(a, b) || isContained(b, a) ? [{ first, second, rule: 'contained_atom' }] : [];
    }),
  );
}
