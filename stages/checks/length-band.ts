/** Shortest a block may be, as a share of its atoms' characters. */
export const SHORTEST_SHARE = 0.45;
/** Longest a block may be: this share of its atoms' characters plus a constant. */
export const LONGEST_SHARE = 1.55;
export const LONGEST_EXTRA_CHARACTERS = 80;

/** Whether the length of a block is possible for its atoms (RULES); `characters` is the sum over the atoms' texts. */
export function lengthProblem(atoms: readonly string[], block: string): 'too_short' | 'too_long' | null {
  const characters = atoms.reduce((sum, atom) => sum + atom.length, 0);
  if (block.length < SHORTEST_SHARE * characters) return 'too_short';
  return block.length > LONGEST_SHARE * characters + LONGEST_EXTRA_CHARACTERS ? 'too_long' : null;
}
