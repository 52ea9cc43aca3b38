import { BandTable } from './band-table.ts';
import { SetCache, setSimilarity } from './shingle-sets.ts';

/** Numbered texts to be clustered, by what is known of each. */
export interface ClusterInput {
  readonly count: number;
  /** Band keys of a text (`createBandKeys` at the same threshold). */
  readonly keysOf: (doc: number) => Uint32Array;
  readonly threshold: number;
  /** A member of the cluster that a text is known to be in, of texts known to be near no other; null when it was not set beside the others yet. */
  readonly knownRoot: (doc: number) => number | null;
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

/** Texts that are new, and the known ones that share a key with one of them: no other text is read. */
export function textsToCompare({ count, keysOf, knownRoot }: ClusterInput): Int32Array {
  const isNew = Uint8Array.from({ length: count }, (_, doc) => Number(knownRoot(doc) === null));
  let newKeys = 0;
  for (let doc = 0; doc < count; doc += 1) if (isNew[doc] === 1) newKeys += keysOf(doc).length;
  if (!isNew.includes(0)) return Int32Array.from({ length: count }, (_, doc) => doc);
  const table = new BandTable(newKeys);
  for (let doc = 0; doc < count; doc += 1) if (isNew[doc] === 1) table.insertAll(keysOf(doc), doc);
  const out: number[] = [];
  for (let doc = 0; doc < count; doc += 1) if (isNew[doc] === 1 || table.hasAny(keysOf(doc))) out.push(doc);
  return Int32Array.from(out);
}

/**
 * Clusters of near-duplicates: for each text the smallest number of its cluster. Independent of the order of texts but for the numbers.
 * Pairs that are joined already, by whatever way, are not verified again; k new texts against n known ones cost about k and a look at n keys.
 * `compared` are those of `textsToCompare`, of which `textOf` gives the texts that share a key.
 */
export function clusterNearDuplicates(input: ClusterInput, compared: Int32Array, textOf: (doc: number) => string): Int32Array {
  const { count, keysOf, threshold, knownRoot } = input;
  const sets = new DisjointSets(count);
  for (let doc = 0; doc < count; doc += 1) sets.join(doc, knownRoot(doc) ?? doc);
  const cache = new SetCache(textOf);
  const table = new BandTable(compared.reduce((sum, doc) => sum + keysOf(doc).length, 0));
  for (const doc of compared) if (knownRoot(doc) !== null) table.insertAll(keysOf(doc), doc);
  for (const doc of compared) {
    if (knownRoot(doc) !== null) continue;
    const keys = keysOf(doc);
    const others = table.addAndCollect(keys, keys.length, doc);
    if (others !== null)
      for (const other of others)
        if (sets.rootOf(other) !== sets.rootOf(doc) && setSimilarity(cache.of(doc), cache.of(other)) >= threshold) sets.join(doc, other);
  }
  return sets.roots();
}
