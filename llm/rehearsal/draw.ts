import { canonicalJson, seededUniforms, sha256Hex } from '../../schemas/hash.ts';

/** Chance that depends on nothing but the server's seed and the request: the same request always draws the same numbers. */
export interface Draw {
  /** A number in [0, 1) for a named purpose. */
  uniform(...purpose: readonly (string | number)[]): number;
  /** One item of a non-empty list for a named purpose. */
  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[], ...purpose: readonly (string | number)[]): Item;
  /** A fresh stream of numbers for a named purpose. */
  stream(...purpose: readonly (string | number)[]): () => number;
}

/** Item of a list at a uniform number; a list without items is a programming error. */
export function pickAt<Item>(items: readonly Item[], uniform: number): Item {
  const item = items[Math.min(items.length - 1, Math.floor(uniform * items.length))];
  if (item === undefined) throw new RangeError('cannot pick from an empty list');
  return item;
}

/** The draws of one request, identified by any JSON value. */
export function drawFor(seed: string, identity: unknown): Draw {
  return drawForText(seed, canonicalJson(identity));
}

/** The same for an identity whose canonical JSON is known: that of a payload is most of what a draw costs. */
export function drawForText(seed: string, identityText: string): Draw {
  const key = sha256Hex(`[${JSON.stringify(seed)},${identityText}]`);
  const uniform = (...purpose: readonly (string | number)[]): number => seededUniforms(key, ...purpose)();
  return {
    uniform,
    pick: (items, ...purpose) => pickAt(items, uniform(...purpose)),
    stream: (...purpose) => seededUniforms(key, ...purpose),
  };
}
