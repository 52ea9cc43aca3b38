import type { World } from './world.ts';

const rows = (count: number): string => (count === 1 ? '1 row' : `${count.toLocaleString('en-US')} rows`);

/** What a person should know of rows that repeat one another and came at different times, as sentences; nothing when the last build had the same order. */
export function orderNotes({ order, before }: Pick<World, 'order' | 'before'>): readonly string[] {
  if (before !== null && before.orderId === order.id) return [];
  const { elders, displaced = 0 } = order.facts;
  const stay =
    elders === undefined
      ? []
      : [
          `${rows(elders.count)} stay although a near-duplicate that was added later scores better; ` +
            '`memcalib plan --restratify` lets the better ones take their places, and says what that costs',
        ];
  const move = displaced === 0 ? [] : [`${rows(displaced)} that came later take the places of older near-duplicates that score lower`];
  return [...stay, ...move];
}
