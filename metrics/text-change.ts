/** A stretch of tokens that two texts share, or that only one of them has. */
export interface TextChange {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond so many token pairs an exact comparison costs more than it tells: the differing middle then counts as replaced. */
const MAX_CELLS = 4_000_000;

function push(changes: { kind: TextChange['kind']; text: string }[], kind: TextChange['kind'], text: string): void {
  const last = changes.at(-1);
  if (text === '') return;
  if (last?.kind === kind) last.text += text;
  else changes.push({ kind, text });
}

/** Numbers for tokens, equal for equal ones: numbers compare faster than texts. */
function numbered(tokens: readonly string[], numbers: Map<string, number>): Int32Array {
  return Int32Array.from(tokens, (token) => {
    const known = numbers.get(token) ?? numbers.size;
    if (known === numbers.size) numbers.set(token, known);
    return known;
  });
}

/** Lengths of the longest common subsequences of all suffixes, row by row. */
function suffixLengths(a: readonly string[], b: readonly string[]): Uint16Array | Uint32Array {
  const numbers = new Map<string, number>();
  const [left, right] = [numbered(a, numbers), numbered(b, numbers)];
  const width = b.length + 1;
  const cells = (a.length + 1) * width;
  const table = Math.min(a.length, b.length) < 65_536 ? new Uint16Array(cells) : new Uint32Array(cells);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const token = left[i];
    const row = i * width;
    let beside = 0;
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const below = row + width + j;
      const down = table[below] ?? 0;
      beside = token === right[j] ? (table[below + 1] ?? 0) + 1 : down > beside ? down : beside;
      table[row + j] = beside;
    }
  }
  return table;
}

function compareMiddle(a: readonly string[], b: readonly string[], changes: { kind: TextChange['kind']; text: string }[]): void {
  if (a.length * b.length > MAX_CELLS) {
    push(changes, 'removed', a.join(''));
    push(changes, 'added', b.join(''));
    return;
  }
  const width = b.length + 1;
  const lengths = suffixLengths(a, b);
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      push(changes, 'same', a[i] ?? '');
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))) {
      push(changes, 'removed', a[i] ?? '');
      i += 1;
    } else {
      push(changes, 'added', b[j] ?? '');
      j += 1;
    }
  }
}

/** A shortest edit from one list of tokens to another (longest common subsequence); joined tokens give both texts back. */
export function compareTokens(a: readonly string[], b: readonly string[]): readonly TextChange[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const changes: { kind: TextChange['kind']; text: string }[] = [];
  push(changes, 'same', a.slice(0, head).join(''));
  compareMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail), changes);
  push(changes, 'same', a.slice(a.length - tail).join(''));
  return changes;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** Word-level comparison: words, single signs and runs of blanks are the tokens. */
export function compareWords(before: string, after: string): readonly TextChange[] {
  return compareTokens(wordsOf(before), wordsOf(after));
}

/** Words in a text: runs of letters and digits. */
export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
}

/** Words that only one of two texts has. */
export function changedWords(changes: readonly TextChange[]): { readonly removed: number; readonly added: number } {
  const sum = (kind: TextChange['kind']): number =>
    changes.reduce((total, change) => total + (change.kind === kind ? countWords(change.text) : 0), 0);
  return { removed: sum('removed'), added: sum('added') };
}

/** Lines that an edit touches: the larger of what it took out and what it put in. */
export function changedLines(before: string, after: string): number {
  const lines = (text: string): readonly string[] => text.split('\n').map((line) => `${line}\n`);
  const count = (kind: TextChange['kind'], changes: readonly TextChange[]): number =>
    changes.reduce((total, change) => total + (change.kind === kind ? change.text.split('\n').length - 1 : 0), 0);
  const changes = compareTokens(lines(before), lines(after));
  return Math.max(count('removed', changes), count('added', changes));
}
