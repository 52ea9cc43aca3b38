/** Lines that differ between two texts: those of the longer side of every changed stretch (a replaced line counts once). */
export function changedLines(before: string, now: string): number {
  const a = before.split('\n');
  const b = now.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const left = a.slice(head, a.length - tail);
  const right = b.slice(head, b.length - tail);
  const kept = commonLines(left, right);
  return Math.max(left.length, right.length) - kept;
}

/** Length of the longest common subsequence of lines. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (const [index, other] of b.entries())
      next.push(line === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row[b.length] ?? 0;
}
