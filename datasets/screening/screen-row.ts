import type { RowMeasures } from '../../schemas/candidate.ts';
import type { SourceRow } from '../../schemas/source-row.ts';
import { candidateId } from '../candidate-order.ts';
import { MAX_BOILERPLATE_SHARE } from '../adapters/dialogue.ts';
import { complexityOf } from './complexity.ts';
import type { IdentifierKind } from './identifiers.ts';
import { hasQuestionIntent } from './intent.ts';
import { maskRow } from './mask-row.ts';
import { qualityScore } from './quality.ts';
import { askedText } from './row-text.ts';
import { memorySignals } from './signals.ts';
import { hasSolution } from './solution-in-question.ts';
import { TextFacts } from './text-facts.ts';
import { topicOf } from './topic.ts';
import { wrongDomain } from './wrong-domain.ts';

/** Settings of deterministic screening that a user may move (config `screening`). */
export interface ScreeningParams {
  readonly minQualityScore: number;
  readonly identifiers: 'mask' | 'reject';
}

/** Verdict of deterministic screening on one row; `detail` holds no row text. */
export type ScreenVerdict =
  | {
      readonly ok: true;
      readonly row: SourceRow;
      readonly measures: RowMeasures;
      readonly masked: Readonly<Partial<Record<IdentifierKind, number>>>;
    }
  | { readonly ok: false; readonly reason: string; readonly detail: string };

/** A row with what several rules ask about its texts. */
interface Screened {
  readonly row: SourceRow;
  readonly asked: string;
  readonly question: TextFacts;
  readonly answer: TextFacts;
  readonly signals: readonly string[];
}

type Rule = (screened: Screened) => readonly [reason: string, detail: string] | null;

const LIMITS = { questionMin: 20, questionMax: 6000, answerMin: 30, answerMax: 10_000, words: 5 } as const;

/** The rules of RULES "Eligibility" in the order in which a row meets them; the first that fires names the reason. */
const RULES: readonly Rule[] = [
  ({ question, row }) =>
    row.question.length < LIMITS.questionMin || question.tokens < LIMITS.words
      ? [
          'question_too_short',
          `The question has ${row.question.length} characters; at least ${LIMITS.questionMin} and ${LIMITS.words} words are needed.`,
        ]
      : null,
  ({ row: { question } }) =>
    question.length > LIMITS.questionMax
      ? ['question_too_long', `The question has ${question.length} characters; at most ${LIMITS.questionMax} are taken.`]
      : null,
  ({ answer, row }) =>
    row.answer.length < LIMITS.answerMin || answer.tokens < LIMITS.words
      ? [
          'answer_too_short',
          `The answer has ${row.answer.length} characters; at least ${LIMITS.answerMin} and ${LIMITS.words} words are needed.`,
        ]
      : null,
  ({ row: { answer } }) =>
    answer.length > LIMITS.answerMax
      ? ['answer_too_long', `The answer has ${answer.length} characters; at most ${LIMITS.answerMax} are taken.`]
      : null,
  ({ question, answer }) => (question.isEnglish && answer.isEnglish ? null : ['non_english', 'Question or answer is not English.']),
  ({ answer }) =>
    answer.courtesyShare > MAX_BOILERPLATE_SHARE ? ['boilerplate_answer', 'More than 65 % of the answer is courtesy or referral.'] : null,
  ({ question, answer, row: { domain } }) =>
    question.isNoise(domain) || answer.isNoise(domain) ? ['noise', 'Question or answer holds a stuck character or mostly symbols.'] : null,
  ({ asked }) => (hasQuestionIntent(asked) ? null : ['no_question_intent', 'Neither context nor question asks for anything.']),
  ({ row }) => {
    if (row.domain !== 'general') return null;
    const isChat = row.groupKey.startsWith('ultrachat:');
    const kind = wrongDomain([...(isChat ? row.context.map((turn) => turn.text) : []), row.question, row.answer].join('\n'));
    return kind === null ? null : ['wrong_domain', `The row is mainly ${kind}.`];
  },
  ({ row: { question, answer, domain } }) =>
    domain === 'coding' && hasSolution(question, answer)
      ? ['solution_in_question', 'At least 80 % of the answer already stands in the question.']
      : null,
  ({ signals }) => (signals.length > 0 ? null : ['no_memory_signal', 'Nothing in the question or its context could become a memory.']),
];

function firstHit(screened: Screened): readonly [reason: string, detail: string] | null {
  for (const rule of RULES) {
    const hit = rule(screened);
    if (hit !== null) return hit;
  }
  return null;
}

function opened(row: SourceRow): Screened {
  const asked = askedText(row);
  return {
    row,
    asked,
    question: new TextFacts(row.question),
    answer: new TextFacts(row.answer),
    signals: memorySignals(asked, row.domain),
  };
}

/** Facts of the masked texts: those of the row where nothing was masked. */
function cleaned(facts: TextFacts, text: string): TextFacts {
  return facts.text === text ? facts : new TextFacts(text);
}

function maskedVerdict(kinds: readonly string[], params: ScreeningParams): readonly [reason: string, detail: string] | null {
  if (kinds.length === 0 || params.identifiers !== 'reject') return null;
  return ['personal_identifier', `The row holds personal identifiers (${kinds.join(', ')}).`];
}

function scoreVerdict(total: number, params: ScreeningParams): readonly [reason: string, detail: string] | null {
  return total < params.minQualityScore ? ['low_quality', `Quality score ${total} is below ${params.minQualityScore}.`] : null;
}

/** Deterministic screening of one row: first failing rule, else the masked row with its measures. */
export function screenRow(row: SourceRow, params: ScreeningParams): ScreenVerdict {
  const screened = opened(row);
  const { asked, signals } = screened;
  const hit = firstHit(screened);
  if (hit !== null) return { ok: false, reason: hit[0], detail: hit[1] };
  const { row: clean, counts } = maskRow(row);
  const identified = maskedVerdict(Object.keys(counts), params);
  if (identified !== null) return { ok: false, reason: identified[0], detail: identified[1] };
  const question = cleaned(screened.question, clean.question);
  const answer = cleaned(screened.answer, clean.answer);
  const { total } = qualityScore(question, answer, clean.domain, signals.length);
  const low = scoreVerdict(total, params);
  if (low !== null) return { ok: false, reason: low[0], detail: low[1] };
  const measures = {
    qualityScore: total,
    topic: topicOf(`${asked}\n${clean.answer}`, clean.domain),
    complexity: complexityOf(question, signals.length),
    signalFamilies: [...signals],
  };
  return { ok: true, row: clean, measures, masked: counts };
}

/** Everything screening finds on one row, whether it passes or not. */
export interface ScreenTrace {
  readonly id: string;
  /** Masked. */
  readonly row: SourceRow;
  /** The rule that fires first; null when none does. */
  readonly verdict: { readonly reason: string; readonly detail: string } | null;
  readonly score: ReturnType<typeof qualityScore>;
  readonly topic: string;
  readonly complexity: RowMeasures['complexity'];
  readonly signals: readonly string[];
  readonly masked: Readonly<Partial<Record<IdentifierKind, number>>>;
}

/** Screens one row and shows every measure, also of a row that falls out. */
export function screenTrace(row: SourceRow, params: ScreeningParams): ScreenTrace {
  const screened = opened(row);
  const { asked, signals } = screened;
  const { row: clean, counts } = maskRow(row);
  const question = cleaned(screened.question, clean.question);
  const score = qualityScore(question, cleaned(screened.answer, clean.answer), clean.domain, signals.length);
  const hit = firstHit(screened) ?? maskedVerdict(Object.keys(counts), params) ?? scoreVerdict(score.total, params);
  return {
    id: candidateId(row.sourceDataset, row.sourceId),
    row: clean,
    verdict: hit === null ? null : { reason: hit[0], detail: hit[1] },
    score,
    topic: topicOf(`${asked}\n${clean.answer}`, clean.domain),
    complexity: complexityOf(question, signals.length),
    signals,
    masked: counts,
  };
}
