import { comparableText } from '../stages/invariants/wording.ts';
import { exactNearQueryIndex, type NearQueryIndex } from '../stages/invariants/near-query.ts';

/** What ties an example to others: examples tied directly or through others are one group and never part (SPEC §6). */
export interface GroupedItem {
  readonly id: string;
  /** Unique over all sources: `<dataset>:<split>:<native id>`. */
  readonly sourceRow: string;
  readonly groupKey: string;
  /** Final query. */
  readonly query: string;
}

/** Connected components over source row, group key and exact or near final query; each in the order of the items. */
export function groupsOf<Item extends GroupedItem>(
  items: readonly Item[],
  near: NearQueryIndex = exactNearQueryIndex(),
): readonly (readonly Item[])[] {
  const parent = items.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parent[root] !== root) root = parent[root] ?? root;
    for (let next = at; next !== root;) [next, parent[next]] = [parent[next] ?? root, root];
    return root;
  };
  const firstWith = new Map<string, number>();
  items.forEach((item, at) => {
    const tie = (other: number): void => {
      const [a, b] = [rootOf(other), rootOf(at)];
      parent[Math.max(a, b)] = Math.min(a, b);
    };
    const keys = [`row\u0000${item.sourceRow}`, `group\u0000${item.groupKey}`, `query\u0000${comparableText(item.query)}`];
    for (const key of keys) {
      const first = firstWith.get(key);
      if (first === undefined) firstWith.set(key, at);
      else tie(first);
    }
    for (const id of near.matches(item.query)) tie(Number(id));
    near.add(String(at), item.query);
  });
  const groups = new Map<number, Item[]>();
  items.forEach((item, at) => {
    const root = rootOf(at);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [item]);
    else group.push(item);
  });
  return [...groups.values()];
}
