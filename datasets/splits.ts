import { sha256Hex } from '../schemas/hash.ts';
import type { NearQueryIndex } from '../stages/invariants/near-query.ts';
import { pickExactly, pickInOrder } from './exact-pick.ts';
import { groupsOf, type GroupedItem } from './groups.ts';
import { largestRemainder } from './largest-remainder.ts';

/** An example as the split sees it. */
export interface SplitItem extends GroupedItem {
  readonly domain: string;
  readonly source: string;
  /** Density level of the block plan; 0 where it is unknown (imports). */
  readonly densityLevel: number;
}

/** A part and how many examples it gets; the totals sum to the number of items. */
export interface SplitPart {
  readonly name: string;
  readonly total: number;
}

export interface SplitOptions {
  readonly seed: string;
  /** Parts of an earlier release by example id: none of its rows moves. Ids without an item are passed over. */
  readonly keep?: ReadonlyMap<string, string>;
  readonly near?: NearQueryIndex;
}

/** A split that cannot be made as asked; `ids` names the examples in the way. */
export class SplitError extends Error {
  override readonly name = 'SplitError';
  readonly code: 'totals' | 'keep_conflict' | 'keep_exceeds' | 'no_exact_choice';
  readonly ids: readonly string[];

  constructor(code: SplitError['code'], message: string, ids: readonly string[] = []) {
    super(message);
    this.code = code;
    this.ids = ids;
  }
}

interface Group {
  readonly ids: readonly string[];
  readonly size: number;
  readonly stratum: string;
  readonly rank: string;
}

function byRank(a: Group, b: Group): number {
  return a.rank < b.rank ? -1 : 1;
}

function toGroup(members: readonly SplitItem[], seed: string): Group {
  const key = members.map((item) => item.groupKey).reduce((a, b) => (a < b ? a : b));
  const strata = members.map((item) => JSON.stringify([item.domain, item.source, item.densityLevel]));
  return {
    ids: members.map((item) => item.id),
    size: members.length,
    stratum: strata.reduce((a, b) => (a < b ? a : b)),
    rank: sha256Hex(`${seed}\u0000${key}`),
  };
}

/** The part a group is held to by an earlier release, or null. */
function heldPart(group: Group, keep: ReadonlyMap<string, string>): string | null {
  const held = new Set(group.ids.flatMap((id) => keep.get(id) ?? []));
  if (held.size > 1) {
    const ids = group.ids.filter((id) => keep.has(id));
    const bridges = group.ids.filter((id) => !keep.has(id));
    throw new SplitError(
      'keep_conflict',
      `Examples ${ids.slice(0, 4).join(', ')} belong to one group and the kept release has them in ${[...held].sort().join(' and ')}` +
        (bridges.length > 0 ? `; leave out the new ${bridges.slice(0, 4).join(', ')}, which ties them together.` : '.'),
      bridges.length > 0 ? bridges : ids,
    );
  }
  return [...held][0] ?? null;
}

/** Per stratum what a part still wants: its share of the stratum less what it already holds, scaled to the part's open total. */
function openQuotas(open: number, total: number, all: readonly Group[], held: readonly Group[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const group of all) sizes.set(group.stratum, (sizes.get(group.stratum) ?? 0) + group.size);
  const strata = [...sizes.keys()].sort();
  const items = all.reduce((sum, group) => sum + group.size, 0);
  const wanted = strata.map((stratum) => {
    const has = held.reduce((sum, group) => (group.stratum === stratum ? sum + group.size : sum), 0);
    return Math.max(0, (total * (sizes.get(stratum) ?? 0)) / items - has);
  });
  const quotas = largestRemainder(open, wanted, (at) => sha256Hex(strata[at] ?? ''));
  return new Map(strata.map((stratum, at) => [stratum, quotas[at] ?? 0]));
}

/** Fills one part from the free groups: by rank inside each stratum, then by rank over all, then by an exact search. */
function fillPart(part: SplitPart, open: number, free: readonly Group[], quotas: ReadonlyMap<string, number>): readonly Group[] {
  const taken: Group[] = [];
  for (const stratum of new Set(free.map((group) => group.stratum))) {
    const groups = free.filter((group) => group.stratum === stratum);
    taken.push(...pickInOrder(groups, quotas.get(stratum) ?? 0).taken);
  }
  const inPart = new Set(taken);
  const rest = free.filter((group) => !inPart.has(group));
  const more = pickInOrder(rest, open - taken.reduce((sum, group) => sum + group.size, 0));
  if (more.missing === 0) return [...taken, ...more.taken];
  const exact = pickExactly<Group>([...taken.sort(byRank), ...rest], open);
  if (exact === null)
    throw new SplitError(
      'no_exact_choice',
      `No choice of whole groups gives ${part.name} exactly ${part.total} examples; ask for another total.`,
    );
  return exact;
}

/**
 * Assigns every item to a part: whole groups, by hash rank of the group key inside a stratum domain × source × density level,
 * exact totals by largest remainder, rows of an earlier release where they were (SPEC §6). The largest part takes what is left.
 */
export function splitExamples(
  items: readonly SplitItem[],
  parts: readonly SplitPart[],
  options: SplitOptions,
): ReadonlyMap<string, string> {
  const asked = parts.reduce((sum, part) => sum + part.total, 0);
  if (asked !== items.length)
    throw new SplitError(
      'totals',
      `The parts ask for ${asked} examples and there are ${items.length}; make the totals sum to ${items.length}.`,
    );
  const sorted = [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
  const all = groupsOf(sorted, options.near)
    .map((members) => toGroup(members, options.seed))
    .sort(byRank);
  const held = new Map(parts.map((part): [string, Group[]] => [part.name, []]));
  let free: Group[] = [];
  for (const group of all) {
    const part = heldPart(group, options.keep ?? new Map());
    const place = part === null ? free : held.get(part);
    if (place === undefined)
      throw new SplitError(
        'keep_conflict',
        `The kept release has ${group.ids[0]} in ${part}, which is none of the parts asked for.`,
        group.ids,
      );
    place.push(group);
  }

  const assigned = new Map<string, string>();
  const bySize = [...parts].sort((a, b) => a.total - b.total || (a.name < b.name ? -1 : 1));
  for (const [at, part] of bySize.entries()) {
    const own = held.get(part.name) ?? [];
    const open = part.total - own.reduce((sum, group) => sum + group.size, 0);
    if (open < 0)
      throw new SplitError(
        'keep_exceeds',
        `The kept release already puts ${part.total - open} examples into ${part.name}, which is to have ${part.total}.`,
      );
    const added = at === bySize.length - 1 ? free : fillPart(part, open, free, openQuotas(open, part.total, all, own));
    for (const group of [...own, ...added]) for (const id of group.ids) assigned.set(id, part.name);
    const gone = new Set(added);
    free = free.filter((group) => !gone.has(group));
  }
  return assigned;
}
