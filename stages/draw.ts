/** A source of uniform numbers in [0, 1), as `seededUniforms` makes it. */
export type Uniform = () => number;

/** Draws a whole number from `least` to `most`, both included, each equally likely. */
export function drawInteger(uniform: Uniform, least: number, most: number): number {
  return least + Math.floor(uniform() * (most - least + 1));
}

/** Draws an index with probability proportional to its weight; the weights must hold a positive one. */
export function drawIndex(uniform: Uniform, weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0)) throw new RangeError('drawIndex needs at least one positive weight');
  let left = uniform() * total;
  let last = 0;
  for (const [index, weight] of weights.entries()) {
    if (weight <= 0) continue;
    last = index;
    left -= weight;
    if (left < 0) return index;
  }
  return last;
}

/** Draws one item, each equally likely; the list must not be empty. */
export function drawItem<Item>(uniform: Uniform, items: readonly Item[]): Item {
  const item = items[drawInteger(uniform, 0, items.length - 1)];
  if (item === undefined) throw new RangeError('drawItem needs at least one item');
  return item;
}

/** A new list in random order (Fisher-Yates), every order equally likely. */
export function shuffled<Item>(uniform: Uniform, items: readonly Item[]): readonly Item[] {
  const pool = [...items];
  const order: Item[] = [];
  while (pool.length > 0) order.push(...pool.splice(drawInteger(uniform, 0, pool.length - 1), 1));
  return order;
}
