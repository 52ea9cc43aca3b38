import type { Domain, Level } from '../schemas/levels.ts';
import type { ReviewCalibrationPayload } from '../schemas/payloads.ts';
import { ReviewCalibrationReply } from '../schemas/replies/review-calibration.ts';
import type { Flag, ReviewOutput, Workpiece } from '../schemas/workpiece.ts';
import { WorkpieceError, seatedAtoms } from './atoms.ts';
import { leaksRubric } from './checks/leak.ts';
import { payloadJson } from './fields.ts';
import type { Judgement, Reading } from './review-verdict.ts';
import { REVIEWERS, decideReview, namesEachOnce, readJudgements } from './review-verdict.ts';
import { defineStep } from './step.ts';

type ReviewCalibrationInput = Pick<ReviewCalibrationPayload, 'query' | 'blocks' | 'atoms'> & { readonly domain: Domain };
type AtomReply = ReviewCalibrationReply['atoms'][number];

/** The use a reviewer names before seeing the level's name must be the one the level asks for. */
const USE_OF_LEVEL: Readonly<Record<Level, AtomReply['legitimate_use']>> = { A: 'none', B: 'bounded', C: 'direct' };

function passIf(ok: boolean): Judgement['verdict'] {
  return ok ? 'pass' : 'fail';
}

function givesNone(item: AtomReply): boolean {
  return item.gives_away.trim().toLowerCase() === 'none';
}

/** An A atom may lend nothing to a B or C atom; what one B or C atom lends another is asked under `distinct`. */
function givesAway(item: AtomReply, level: Level, levels: ReadonlyMap<string, Level>): boolean {
  return level === 'A' && !givesNone(item) && levels.get(item.gives_away) !== 'A';
}

function judgementsOf(item: AtomReply, level: Level, levels: ReadonlyMap<string, Level>): readonly Judgement[] {
  const where = (part: string): string => `${item.atom} ${part}`;
  return [
    {
      reason: 'query_supplies_atom',
      where: where('in_query'),
      verdict: passIf(level === 'A' || item.in_query === 'not'),
    },
    { reason: 'review_calibration_gives_away', where: where('gives_away'), verdict: passIf(!givesAway(item, level, levels)) },
    {
      reason: level === 'A' ? 'review_calibration_legitimate_use' : 'review_calibration_level',
      where: where('legitimate_use'),
      verdict: passIf(item.legitimate_use === USE_OF_LEVEL[level]),
    },
    { reason: 'review_calibration_distinct', where: where('distinct'), verdict: item.distinct },
    { reason: 'review_calibration_level', where: where('level'), verdict: item.level },
    { reason: 'review_calibration_rubric', where: where('rubric'), verdict: item.rubric },
  ];
}

function read(input: ReviewCalibrationInput, reply: ReviewCalibrationReply): Reading {
  const levels = new Map(input.atoms.map((atom) => [atom.atom, atom.level]));
  const named = reply.atoms.map((item) => item.atom);
  const blocks = reply.blocks.map((item) => item.block);
  const usable =
    namesEachOnce([...levels.keys()], named) &&
    namesEachOnce(
      input.blocks.map((block) => block.block),
      blocks,
    ) &&
    reply.atoms.every((item) => givesNone(item) || (levels.has(item.gives_away) && item.gives_away !== item.atom));
  if (!usable) return { kind: 'none' };
  return readJudgements([
    { reason: 'review_calibration_coherent', where: 'query coherent', verdict: reply.query.coherent },
    { reason: 'review_calibration_answerable', where: 'query answerable', verdict: reply.query.answerable },
    ...reply.atoms.flatMap((item) => judgementsOf(item, levels.get(item.atom) ?? 'A', levels)),
    ...reply.blocks.flatMap((item): readonly Judgement[] => [
      { reason: 'review_calibration_keeps_all', where: `${item.block} keeps_all`, verdict: item.keeps_all },
      { reason: 'review_calibration_adds_none', where: `${item.block} adds_none`, verdict: item.adds_none },
    ]),
  ]);
}

/** The last deterministic screen of the final query: against the rubric of every B and C atom. */
function rubricFlags(input: ReviewCalibrationInput): readonly Flag[] {
  return input.atoms
    .filter((atom) => atom.level !== 'A' && leaksRubric(input.query, Object.values(atom.rubric).flat().join(' ')))
    .map((atom) => ({ rule: 'leak_rubric', where: atom.atom, detail: 'the query covers most words of the rubric' }));
}

function inputOf(workpiece: Workpiece): ReviewCalibrationInput {
  const { candidate, derive, plan, naturalize, hardDistractor, auxiliary } = workpiece;
  if (derive === undefined || plan === undefined || naturalize === undefined || hardDistractor === undefined || auxiliary === undefined)
    throw new WorkpieceError(`${candidate.id}: review-calibration needs query, plan, distractors and memory texts`);
  const seated = seatedAtoms(workpiece);
  return {
    domain: candidate.domain,
    query: derive.query,
    blocks: plan.blocks.map(({ id }) => {
      const text = naturalize.memoryTexts[id];
      if (text === undefined) throw new WorkpieceError(`${candidate.id}: naturalize gave no text for block ${id}`);
      return { block: id, memory_text: text, atoms: seated.filter((atom) => atom.blockId === id).map((atom) => atom.atomId) };
    }),
    atoms: seated.map(({ atomId, blockId, text, level, action, rubric }) => {
      if (rubric === null) throw new WorkpieceError(`${candidate.id}: review-calibration needs the rubrics`);
      return { atom: atomId, block: blockId, text, level, action, rubric };
    }),
  };
}

/** Step `review-calibration` (SPEC §4.6): both reviewers judge query, uses, levels, rubrics and blocks without any provenance. */
export const reviewCalibration = defineStep<ReviewCalibrationInput, ReviewCalibrationReply, ReviewOutput>({
  id: 'review-calibration',
  stage: 'quality',
  replySchema: ReviewCalibrationReply,
  checkNumber: 1,
  checkFiles: [
    'stages/atoms.ts',
    'stages/checks/leak.ts',
    'stages/checks/marked-tokens.ts',
    'stages/checks/request-terms.ts',
    'stages/fields.ts',
    'stages/review-calibration.ts',
    'stages/review-verdict.ts',
    'stages/text/contract.ts',
    'stages/text/words.ts',
  ],
  input: inputOf,
  requests: ({ domain, query, blocks, atoms }) => {
    const payload: ReviewCalibrationPayload = { task: 'review-calibration', domain, query, blocks, atoms };
    return REVIEWERS.map((partId) => ({ partId, payload: payloadJson(payload) }));
  },
  accept: (input, replies) =>
    decideReview(
      replies,
      (reply) => read(input, reply),
      () => rubricFlags(input),
    ),
  apply: (workpiece, output) => ({ ...workpiece, reviewCalibration: output }),
});
