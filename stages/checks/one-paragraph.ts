const INLINE_ENUMERATION = /(?<![\p{L}\p{N}])\(?1\)\s.*(?<![\p{L}\p{N}])\(?2\)\s/u;

/** What keeps a block from being one plain paragraph: a line break, a list marker, or nothing. Code spans are not looked into. */
export function paragraphProblem(block: string): 'line_break' | 'list_marker' | null {
  const prose = block.trim().replace(/`[^`]*`/gu, '`code`');
  if (/[\n\r\u2028\u2029]/u.test(prose)) return 'line_break';
  if (/^(?:[-*•·]|\(?\d{1,2}[.)]|\(?[a-z]\)|#{1,6})\s/iu.test(prose)) return 'list_marker';
  return /(?:^|\s)•\s/u.test(prose) || INLINE_ENUMERATION.test(prose) ? 'list_marker' : null;
}
