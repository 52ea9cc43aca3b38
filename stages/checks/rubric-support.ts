import { contentStems } from '../text/words.ts';

/** Below this share of its atom's words a rubric is not about its atom: one repair turn. */
export const OWN_SUPPORT = 0.15;
/** A rubric supports another atom when at least this share of that atom's words stands in it ... */
export const OTHER_SUPPORT = 0.25;
/** ... and this much more than of its own atom's. */
export const SWAP_MARGIN = 0.1;

/** Share of the atom's distinct content stems, words of the query removed, that stand in the rubric; null when none is left to look for. */
export function rubricSupport(atom: string, rubric: string, query: string): number | null {
  const inQuery = new Set(contentStems(query));
  const wanted = [...new Set(contentStems(atom))].filter((item) => !inQuery.has(item));
  if (wanted.length === 0) return null;
  const present = new Set(contentStems(rubric));
  return wanted.filter((item) => present.has(item)).length / wanted.length;
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
  let worst: { readonly key: string; readonly support: number } | null = null;
  for (const { key, text } of atoms) {
    if (key === own.key) continue;
    const support = rubricSupport(text, rubric, query);
    if (support === null || support < OTHER_SUPPORT || support < ownSupport + SWAP_MARGIN - 1e-9) continue;
    if (worst === null || support > worst.support) worst = { key, support };
  }
  return worst?.key ?? null;
}
