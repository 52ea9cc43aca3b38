import { contentStems } from '../text/words.ts';

/** Below this share of its atom's words a rubric is not about its atom: one repair turn. */
export const OWN_SUPPORT = 0.15;
/** A rubric supports another atom when at least this share of that atom's words stands in it ... */
export const OTHER_SUPPORT = 0.25;
/** ... and this much more than of its own atom's. */
export const SWAP_MARGIN = 0.1;

/** One shared word proves nothing ("likes" and "likely" of a five-word atom): so many of the other atom's words must stand in the rubric. */
export const OTHER_WORDS = 2;

/** An atom ready for the swap screen: its distinct content stems, those of the query removed. */
export interface SupportedAtom {
  readonly key: string;
  readonly stems: ReadonlySet<string>;
}

/** Makes atoms ready for the screen; their stems are taken once for all rubrics. */
export function supportedAtoms(atoms: readonly { readonly key: string; readonly text: string }[], query: string): readonly SupportedAtom[] {
  const inQuery = new Set(contentStems(query));
  return atoms.map(({ key, text }) => ({ key, stems: new Set(contentStems(text).filter((item) => !inQuery.has(item))) }));
}

/** Share of the atom's stems that stand in the rubric; null when the atom has none to look for. */
export function supportShare(atom: SupportedAtom, rubricStems: ReadonlySet<string>): number | null {
  return atom.stems.size === 0 ? null : found(atom, rubricStems) / atom.stems.size;
}

/** Key of the atom that a rubric supports more than its own (the cross-atom swap screen), or null. */
export function swappedWith(ownKey: string, rubricStems: ReadonlySet<string>, atoms: readonly SupportedAtom[]): string | null {
  const own = atoms.find(({ key }) => key === ownKey);
  const ownShare = own === undefined ? null : supportShare(own, rubricStems);
  if (ownShare === null) return null;
  let worst: { readonly key: string; readonly share: number } | null = null;
  for (const atom of atoms) {
    if (atom.key === ownKey || found(atom, rubricStems) < OTHER_WORDS) continue;
    const share = supportShare(atom, rubricStems) ?? 0;
    if (share < OTHER_SUPPORT || share < ownShare + SWAP_MARGIN - 1e-9) continue;
    if (worst === null || share > worst.share) worst = { key: atom.key, share };
  }
  return worst?.key ?? null;
}

function found(atom: SupportedAtom, rubricStems: ReadonlySet<string>): number {
  let count = 0;
  for (const item of atom.stems) if (rubricStems.has(item)) count += 1;
  return count;
}
