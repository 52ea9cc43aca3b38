import { contentStems } from '../../../stages/text/words.ts';

/** Distinct content stems of a text, taken once where a text is compared many times. */
export function stemSet(text: string): ReadonlySet<string> {
  return new Set(contentStems(text));
}

/** Share of the stems of `part` that stand in `whole`; 1 when `part` has none. */
export function share(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  if (part.size === 0) return 1;
  let found = 0;
  for (const item of part) if (whole.has(item)) found += 1;
  return found / part.size;
}
