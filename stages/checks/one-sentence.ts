const ABBREVIATION =
  /(?:^|[\s(])(?:\p{Lu}|[Dd]r|[Mm]rs?|[Mm]s|[Ss]t|[Pp]rof|[Ss]r|[Jj]r|[Nn]o|[Vv]ol|[Vv]s|[Ee]tc|e\.g|i\.e|a\.m|p\.m|approx)$/u;

/** Whether a text is one sentence on one line: no line break, and no second sentence after a full stop, question or exclamation mark. */
export function isOneSentence(text: string): boolean {
  const prose = text.trim().replace(/`[^`]*`/gu, 'code');
  if (prose === '' || /[\n\r\u2028\u2029]/u.test(prose)) return false;
  for (const match of prose.matchAll(/[.!?]+["'”’)\]]*\s+(?=["'“‘(]?[\p{Lu}\d])/gu)) {
    if (match[0].startsWith('.') && ABBREVIATION.test(prose.slice(0, match.index))) continue;
    return false;
  }
  return true;
}
