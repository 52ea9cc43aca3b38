import { words } from '../../../stages/text/words.ts';

/** A phrase with its number of words; a blank such as `{n}` counts as one word, `{thing}` as none. */
export interface Measured {
  readonly text: string;
  readonly words: number;
}

/** Measures one phrase. */
export function measure(text: string): Measured {
  return { text, words: words(text.replaceAll('{thing}', '').replace(/\{\w+\}/g, 'x')).length };
}

/** Measures the phrases of a list written as "one|two|three". */
export function list(text: string): readonly Measured[] {
  return text.split('|').map(measure);
}
