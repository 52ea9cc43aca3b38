import { contentStems } from '../text/words.ts';

/** Below this share of its atom's words a rubric is not about its atom: one repair turn. */
export const OWN_SUPPORT = 0.15;
/** A rubric supports another atom when at least this share of that atom's words stands in it ... */
export const OTHER_SUPPORT = 0.25;
/** ... and this much more than of its own atom's. */
export const SWAP_MARGIN = 0.1;

/** One shared word proves nothing ("likes" and "likely" of a five-word atom): so many of the other atom's words must stand in the rubric. */
export const OTHER_WORDS = 2;

/** Share of the atom's distinct content stems, words of the query removed, that stand in the rubric; null when none is left to look for. */
export function rubricSupport(atom: string, rubric: string, query: string): number | null {
  return supportOf(atom, rubric, query)?.share ?? null;
}

function supportOf(atom: string, rubric: string, query: string): { readonly share: number; readonly found: number } | null {
  const inQuery = new Set(contentStems(query));
  const wanted = [...new Set(contentStems(atom))].filter((item) => !inQuery.has(item));
  if (wanted.length === 0) return null;
  const present = new Set(contentStems(rubric));
  const found = wanted.filter((item) => present.has(item)).length;
  return { share: found / wanted.length, found };
}

/** Key of the atom that a rubric supports more than its own (the cross-atom swap screen), or null. */
export function swappedWith(
  own: { readonly key: string; readonly text: string },
  rubric: string,
  atoms: readonly { readonly key: string; readonly text: string }[],
  query: string,
): string | null {
  const ownSupport = rubricSupport(own.text, rubric, query);
  if (ownSupport === null) return null;
  let worst: { readonly key: string; readonly share: number } | null = null;
  for (const { key, text } of atoms) {
    if (key === own.key) continue;
    const support = supportOf(text, rubric, query);
    if (support === null || support.found < OTHER_WORDS) continue;
    if (support.share < OTHER_SUPPORT || support.share < ownSupport + SWAP_MARGIN - 1e-9) continue;
    if (worst === null || support.share > worst.share) worst = { key, share: support.share };
  }
  return worst?.key ?? null;
}
