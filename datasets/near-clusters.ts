import { BandTable } from './band-table.ts';
import { SetCache, setSimilarity } from './shingle-sets.ts';

/** Numbered texts to be clustered, by what is known of each. */
export interface ClusterInput {
  readonly count: number;
  /** Band keys of a text (`createBandKeys` at the same threshold). */
  readonly keysOf: (doc: number) => Uint32Array;
  /** Read only for texts that share a key with another. */
  readonly textOf: (doc: number) => string;
  readonly threshold: number;
}

/** Disjoint sets of numbers; the root of each is its smallest member. */
export class DisjointSets {
  readonly #parent: Int32Array;

  constructor(count: number) {
    this.#parent = Int32Array.from({ length: count }, (_, at) => at);
  }

  rootOf(member: number): number {
    const parent = this.#parent;
    let root = member;
    while (parent[root] !== root) root = parent[root] as number;
    for (let at = member; at !== root;) {
      const next = parent[at] as number;
      parent[at] = root;
      at = next;
    }
    return root;
  }

  join(one: number, other: number): void {
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    this.#parent[Math.max(a, b)] = Math.min(a, b);
  }

  roots(): Int32Array {
    return this.#parent.map((_, at) => this.rootOf(at));
  }
}

/**
 * Clusters of near-duplicates: for each text the smallest number of its cluster. Independent of the order of texts but for the numbers.
 * Pairs that are joined already, by whatever way, are not verified again.
 */
export function clusterNearDuplicates({ count, keysOf, textOf, threshold }: ClusterInput): Int32Array {
  const sets = new DisjointSets(count);
  const cache = new SetCache(textOf);
  let keys = 0;
  for (let doc = 0; doc < count; doc += 1) keys += keysOf(doc).length;
  const table = new BandTable(keys);
  for (let doc = 0; doc < count; doc += 1) {
    let others: Set<number> | null = null;
    for (const key of keysOf(doc)) others = table.collect(key, others);
    if (others !== null)
      for (const other of others)
        if (sets.rootOf(other) !== sets.rootOf(doc) && setSimilarity(cache.of(doc), cache.of(other)) >= threshold) sets.join(doc, other);
    for (const key of keysOf(doc)) table.insert(key, doc);
  }
  return sets.roots();
}
