import { STOP_WORDS } from '../../stages/text/words.ts';
import type { Domain } from '../../schemas/levels.ts';
import { countWordsBeside } from './row-text.ts';
import type { TextFacts } from './text-facts.ts';

const ACTION =
  /\b(?:use|try|take|avoid|start|stop|check|apply|add|remove|set|create|make|keep|consider|consult|call|run|install|change|replace|return|write|choose|go|get|ask|do|put|include|increase|reduce|limit|drink|eat|rest|see|visit|test|define|implement|initiali[sz]e|import|print|read|loop|sort|convert|plan|talk|practi[cs]e|continue|need|recommend|suggest|def|for)\b/i;

/** Content tokens above this earn nothing more. */
const MOST_CONTENT = 80;

const SUITABILITY = [0, 20, 30, 35, 40] as const;

/** Quality score of RULES with its four parts, each shown per row; families is the number of memory-signal families. */
export function qualityScore(
  asked: TextFacts,
  answered: TextFacts,
  domain: Domain,
  families: number,
): {
  readonly question: number;
  readonly answer: number;
  readonly suitability: number;
  readonly cleanliness: number;
  readonly total: number;
} {
  const question = Math.floor(15 * Math.min(1, asked.tokens / 80)) + (asked.sentences.length >= 2 ? 5 : 0) + (asked.relations >= 2 ? 5 : 0);
  const substance = countWordsBeside(answered.text, STOP_WORDS, MOST_CONTENT);
  const base = substance >= MOST_CONTENT ? 20 : substance >= 40 ? 15 : substance >= 20 ? 10 : substance >= 8 ? 5 : 0;
  const answer = Math.min(25, base + (ACTION.test(answered.text) ? 5 : 0) + (answered.sentences.length >= 2 ? 5 : 0));
  const suitability = SUITABILITY[Math.min(families, 4)] ?? 40;
  const isAscii = asked.asciiShare >= 0.9 && answered.asciiShare >= 0.9;
  const isClean = !asked.isNoise(domain) && !answered.isNoise(domain);
  const cleanliness = (isAscii ? 4 : 0) + (answered.courtesyShare <= 0.25 ? 3 : 0) + (isClean ? 3 : 0);
  return { question, answer, suitability, cleanliness, total: question + answer + suitability + cleanliness };
}
