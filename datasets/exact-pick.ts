/** A group of examples as a whole: it is taken or left. */
export interface Weighed {
  readonly size: number;
}

/** Takes groups in order while they fit; returns the taken ones and how many examples are still wanted. */
export function pickInOrder<Group extends Weighed>(
  groups: readonly Group[],
  wanted: number,
): { readonly taken: readonly Group[]; readonly missing: number } {
  const taken: Group[] = [];
  let missing = wanted;
  for (const group of groups) {
    if (missing === 0) break;
    if (group.size > missing) continue;
    taken.push(group);
    missing -= group.size;
  }
  return { taken, missing };
}

/** Groups whose sizes sum to exactly `wanted`, preferring earlier ones; null when no choice does. */
export function pickExactly<Group extends Weighed>(groups: readonly Group[], wanted: number): readonly Group[] | null {
  const reachedBy = new Int32Array(wanted + 1).fill(-1);
  let highest = 0;
  const reached = (sum: number): boolean => sum === 0 || (reachedBy[sum] ?? -1) >= 0;
  groups.forEach((group, at) => {
    if (group.size > wanted || reached(wanted)) return;
    for (let sum = Math.min(wanted, highest + group.size); sum >= group.size; sum--) {
      if (!reached(sum) && reached(sum - group.size)) reachedBy[sum] = at;
    }
    highest = Math.min(wanted, highest + group.size);
  });
  if (!reached(wanted)) return null;
  const picked: Group[] = [];
  for (let sum = wanted; sum > 0;) {
    const group = groups[reachedBy[sum] ?? -1];
    if (group === undefined) return null;
    picked.push(group);
    sum -= group.size;
  }
  return picked.reverse();
}
