import { contentStems } from '../text/words.ts';
import { isContained, sameText } from './containment.ts';

/** Two atoms that share this much of all their content words say the same thing. */
export const NEAR_DUPLICATE_SHARE = 0.8;

/** Jaccard share of the distinct content stems of two texts; 0 when neither has any. */
export function sharedContent(a: string, b: string): number {
  const first = new Set(contentStems(a));
  const second = new Set(contentStems(b));
  const both = [...first].filter((item) => second.has(item)).length;
  const either = first.size + second.size - both;
  return either === 0 ? 0 : both / either;
}

/** Whether two atoms repeat one another: the same words, or nearly the same content words. */
export function repeats(a: string, b: string): boolean {
  return sameText(a, b) || sharedContent(a, b) >= NEAR_DUPLICATE_SHARE;
}

/** Whether one of two atoms says what the other says: they repeat, or one holds the other's content words. */
export function overlaps(a: string, b: string): boolean {
  return repeats(a, b) || isContained(a, b) || isContained(b, a);
}
