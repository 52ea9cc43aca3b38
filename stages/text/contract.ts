const CONTRACT = /\s*(?<![^\s.?!])[A-Z][^.?!]*\b(?:in prose|code blocks?)\b[^.?!]*[.?!]\s*$/;

/** The query without the answer contract that ends a coding query ("Answer in prose without code blocks."); a query that is nothing else stays whole. */
export function withoutAnswerContract(query: string): string {
  const bare = query.replace(CONTRACT, '');
  return bare.trim() === '' ? query : bare;
}

/** The answer contract of a query, or an empty text when it has none that stands apart from the question. */
export function answerContract(query: string): string {
  return query.slice(withoutAnswerContract(query).length).trim();
}
