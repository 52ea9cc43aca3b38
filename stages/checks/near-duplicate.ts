import { contentStems, words } from '../text/words.ts';
import { CONTAINED_MIN_WORDS, CONTAINED_SHARE } from './containment.ts';

/** Two atoms that share this much of all their content words say the same thing. */
export const NEAR_DUPLICATE_SHARE = 0.8;

/** A text made ready for comparing: many pairs share one text, so its stems are taken once. */
export interface ComparedText {
  readonly text: string;
  /** Words in order, case and punctuation gone. */
  readonly folded: string;
  readonly stems: ReadonlySet<string>;
}

/** Makes a text ready for comparing. */
export function compared(text: string): ComparedText {
  return { text, folded: words(text).join(' '), stems: new Set(contentStems(text)) };
}

/** Whether two atoms repeat one another: the same words, or nearly the same content words (Jaccard). */
export function repeats(a: ComparedText, b: ComparedText): boolean {
  if (a.folded === b.folded) return true;
  const both = shared(a, b);
  const either = a.stems.size + b.stems.size - both;
  return either > 0 && both / either >= NEAR_DUPLICATE_SHARE;
}

/** Whether one of two atoms says what the other says: they repeat, or one holds the other's content words. */
export function overlaps(a: ComparedText, b: ComparedText): boolean {
  if (repeats(a, b)) return true;
  const smaller = Math.min(a.stems.size, b.stems.size);
  return smaller >= CONTAINED_MIN_WORDS && shared(a, b) / smaller >= CONTAINED_SHARE;
}

function shared(a: ComparedText, b: ComparedText): number {
  let both = 0;
  for (const item of a.stems) if (b.stems.has(item)) both += 1;
  return both;
}
