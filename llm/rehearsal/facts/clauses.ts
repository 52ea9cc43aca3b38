import type { Sentence } from '../text/sentences.ts';

const QUESTION = '(?:what|how|which|why|(?:can|could|should|would|will|do|does|is|are) (?:I|i|you|it|this|that|there|we|he|she))\\s';
const CUT = new RegExp(
  [
    String.raw`\s*;\s+`,
    String.raw`,?\s+(?:and|but|so|and so|and then|because|however|although|though)\s+(?=(?:I|i|I'm|I've|my|My|we|We)\s)`,
    String.raw`,\s+(?=(?:I|i|I'm|I've|we)\s)`,
    String.raw`,?\s+(?:and|but|so|then)\s+(?=${QUESTION})`,
    String.raw`,\s+(?=${QUESTION})`,
    String.raw`\s+-+\s+`,
    String.raw`\s*:\s+(?=[A-Z])`,
  ].join('|'),
  'g',
);
const DEPENDENT =
  /^(?:since|because|when|whenever|if|while|although|though|as|after|before|until|that|which|who|whose|whether|unless|once|despite|given|for|in|on|at|from|during|so)\b/i;
const FIRST = /\b(?:I|i|I'm|I've|my|My|we|We)\b/;

/** Splits a sentence where a new clause of the user's begins; offsets stay exact. Dependent openings stay with what follows. */
export function splitClauses(sentence: Sentence): readonly Sentence[] {
  const cuts: { from: number; to: number }[] = [];
  let begin = 0;
  for (const match of sentence.text.matchAll(CUT)) {
    const left = sentence.text.slice(begin, match.index);
    if (!FIRST.test(left) || DEPENDENT.test(left.trim()) || left.trim().split(/\s+/).length < 4) continue;
    cuts.push({ from: match.index, to: match.index + match[0].length });
    begin = match.index + match[0].length;
  }
  const out: Sentence[] = [];
  let from = 0;
  for (const cut of [...cuts, { from: sentence.text.length, to: sentence.text.length }]) {
    const text = sentence.text.slice(from, cut.from).trimEnd();
    if (text !== '') out.push({ text, start: sentence.start + from, end: sentence.start + from + text.length });
    from = cut.to;
  }
  return out;
}
