import { STOP_WORDS, words } from '../../stages/text/words.ts';
import type { SourceRow } from '../../schemas/source-row.ts';
import { boilerplateShare, sentencesOf } from './boilerplate.ts';
import { asciiLetterShare } from './language.ts';
import { isNoise } from './noise.ts';
import { countTokens } from './row-text.ts';

const RELATION =
  /\b(?:because|but|after|before|when|while|since|although|though|however|so that|unless|until|if|then|therefore|instead|whenever|despite)\b/gi;
const ACTION =
  /\b(?:use|try|take|avoid|start|stop|check|apply|add|remove|set|create|make|keep|consider|consult|call|run|install|change|replace|return|write|choose|go|get|ask|do|put|include|increase|reduce|limit|drink|eat|rest|see|visit|test|define|implement|initiali[sz]e|import|print|read|loop|sort|convert|plan|talk|practi[cs]e|continue|need|recommend|suggest|def|for)\b/i;

/** Number of different relation words of a text: a sign that its facts hang together. */
export function relationCount(text: string): number {
  return new Set((text.match(RELATION) ?? []).map((word) => word.toLowerCase())).size;
}

function contentTokens(text: string): number {
  return words(text).filter((word) => !STOP_WORDS.has(word)).length;
}

const SUITABILITY = [0, 20, 30, 35, 40] as const;

/** Quality score of RULES with its four parts, each shown per row; families is the number of memory-signal families. */
export function qualityScore(
  row: Pick<SourceRow, 'question' | 'answer' | 'domain'>,
  families: number,
): {
  readonly question: number;
  readonly answer: number;
  readonly suitability: number;
  readonly cleanliness: number;
  readonly total: number;
} {
  const tokens = countTokens(row.question);
  const question =
    Math.floor(15 * Math.min(1, tokens / 80)) +
    (sentencesOf(row.question).length >= 2 ? 5 : 0) +
    (relationCount(row.question) >= 2 ? 5 : 0);
  const substance = contentTokens(row.answer);
  const base = substance >= 80 ? 20 : substance >= 40 ? 15 : substance >= 20 ? 10 : substance >= 8 ? 5 : 0;
  const answer = Math.min(25, base + (ACTION.test(row.answer) ? 5 : 0) + (sentencesOf(row.answer).length >= 2 ? 5 : 0));
  const suitability = SUITABILITY[Math.min(families, 4)] ?? 40;
  const isAscii = asciiLetterShare(row.question) >= 0.9 && asciiLetterShare(row.answer) >= 0.9;
  const isClean = !isNoise(row.question, row.domain) && !isNoise(row.answer, row.domain);
  const cleanliness = (isAscii ? 4 : 0) + (boilerplateShare(row.answer) <= 0.25 ? 3 : 0) + (isClean ? 3 : 0);
  return { question, answer, suitability, cleanliness, total: question + answer + suitability + cleanliness };
}
