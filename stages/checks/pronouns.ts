const OPENERS: readonly RegExp[] = [
  /^(?:She|He|They|These|Those|Hers|Theirs)\b/,
  /^(?:Her|His|Their|Its) (?!Majesty|Highness|Excellency|Dark)/,
  /^(?:It|It['’]s)\b(?! (?:takes|took|costs?|is (?:important|essential|hard|easy|necessary)|matters) )/,
  /^(?:This|That)\b(?!['’])(?! Old House\b)/,
  /^Such\b/,
  /^The (?:latter|former)(?:['’]s)? (?:one|two|is|was|are|were|has|had|have|can|could|will|would|does|did|gives?|gave|makes?|made|causes?|caused|helps?|helped|works?|worked|stopped|started)\b/i,
  /^The (?:latter|former)[,.]/i,
];

/** The opening of an atom that points at a text the reader does not have ("She", "This", "The latter"); null when it stands alone. */
export function danglingOpener(text: string): string | null {
  const trimmed = text.trim();
  for (const opener of OPENERS) {
    const match = opener.exec(trimmed);
    if (match !== null) return match[0].trim();
  }
  return null;
}
