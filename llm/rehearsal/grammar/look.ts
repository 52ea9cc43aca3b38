import { spacedWords } from './measured.ts';

/** Letters a word takes in the texts that are to be imitated, blanks included; 5.5 when there is nothing to imitate. */
export function lettersAWord(texts: readonly string[]): number {
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const count = texts.reduce((sum, text) => sum + spacedWords(text), 0);
  return count === 0 ? 5.5 : total / count;
}

/** How many digits a number phrase should have so that it looks like those of the given texts. */
export function digitsLike(texts: readonly string[], uniform: number): 1 | 2 | 3 | 4 {
  const counts = texts.map((text) => text.replace(/\D/g, '').length).filter((count) => count > 0);
  const count = counts[Math.floor(uniform * counts.length)] ?? 2;
  return count <= 1 ? 1 : count === 2 ? 2 : count === 3 ? 3 : 4;
}
