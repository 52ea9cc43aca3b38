import type { ReviewOutput } from '../schemas/workpiece.ts';
import type { Flag } from '../schemas/workpiece.ts';
import type { PartReply, StepVerdict } from './step.ts';

/** Part ids of both reviews; they are the roles that answer them. */
export const REVIEWERS = ['reviewerA', 'reviewerB'] as const;

/** What one reviewer's reply comes to. `unusable` and `cannot_tell` are no verdict: asked again, never approval nor rejection. */
export type Reading =
  | { readonly kind: 'approved' }
  | { readonly kind: 'failed'; readonly reason: string; readonly where: string }
  | { readonly kind: 'none' };

/** A judged part of a reply: `reason` is the reason code when it fails. */
export interface Judgement {
  readonly reason: string;
  readonly where: string;
  readonly verdict: 'pass' | 'fail' | 'cannot_tell';
}

/** Folds the parts of one reply: any fail rejects, else any `cannot_tell` is no verdict, else it approves. */
export function readJudgements(judgements: readonly Judgement[]): Reading {
  const failed = judgements.find((item) => item.verdict === 'fail');
  if (failed !== undefined) return { kind: 'failed', reason: failed.reason, where: failed.where };
  return judgements.some((item) => item.verdict === 'cannot_tell') ? { kind: 'none' } : { kind: 'approved' };
}

/** Whether a reply names every expected id exactly once and no other. */
export function namesEachOnce(expected: readonly string[], named: readonly string[]): boolean {
  return named.length === expected.length && new Set(named).size === named.length && expected.every((id) => named.includes(id));
}

/** Two independent readings make the decision: a rejection by either is final, approval needs both, the rest is asked again. */
export function decideReview<Reply>(
  replies: ReadonlyMap<string, PartReply<Reply>>,
  read: (reply: Reply) => Reading,
  flags: () => readonly Flag[],
): StepVerdict<ReviewOutput> {
  const readings = REVIEWERS.map((partId) => {
    const part = replies.get(partId);
    return { partId, reading: part === undefined ? { kind: 'none' as const } : read(part.reply) };
  });
  for (const { partId, reading } of readings)
    if (reading.kind === 'failed') return { kind: 'rejected', reason: reading.reason, detail: `${partId} fails ${reading.where}.`, partId };
  const open = readings.filter(({ reading }) => reading.kind === 'none').map(({ partId }) => partId);
  if (open.length > 0) return { kind: 'noVerdict', partIds: open };
  return { kind: 'accepted', output: { approvedBy: REVIEWERS }, flags: flags() };
}
