/** A phrase with its number of words; a blank such as `{n}` counts as one word, `{thing}` as none. */
export interface Measured {
  readonly text: string;
  readonly words: number;
}

/** Words as a writer counts them: what stands between spaces. */
export function spacedWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/** Measures one phrase. */
export function measure(text: string): Measured {
  return { text, words: spacedWords(text.replaceAll('{thing}', '')) };
}

/** Measures the phrases of a list written as "one|two|three". */
export function list(text: string): readonly Measured[] {
  return text.split('|').map(measure);
}
