import type { COMPLEXITIES } from '../../schemas/candidate.ts';
import type { TextFacts } from './text-facts.ts';

type Complexity = (typeof COMPLEXITIES)[number];

/** Complexity class of a question by the points of RULES: families (at most 6), length, sentences, relation words. */
export function complexityOf(question: TextFacts, families: number): Complexity {
  const { tokens } = question;
  const points =
    Math.min(families, 6) +
    Number(tokens >= 50) +
    Number(tokens >= 100) +
    Number(question.sentences.length >= 3) +
    Number(question.relations >= 2);
  return points <= 3 ? 'simple' : points <= 6 ? 'medium' : 'complex';
}
