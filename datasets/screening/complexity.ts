import type { COMPLEXITIES } from '../../schemas/candidate.ts';
import { sentencesOf } from './boilerplate.ts';
import { relationCount } from './quality.ts';
import { countTokens } from './row-text.ts';

type Complexity = (typeof COMPLEXITIES)[number];

/** Complexity class of a question by the points of RULES: families (at most 6), length, sentences, relation words. */
export function complexityOf(question: string, families: number): Complexity {
  const tokens = countTokens(question);
  const points =
    Math.min(families, 6) +
    Number(tokens >= 50) +
    Number(tokens >= 100) +
    Number(sentencesOf(question).length >= 3) +
    Number(relationCount(question) >= 2);
  return points <= 3 ? 'simple' : points <= 6 ? 'medium' : 'complex';
}
