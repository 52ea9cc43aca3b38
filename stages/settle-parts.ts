import type { Flag } from '../schemas/workpiece.ts';
import type { Breach } from './settle.ts';
import type { PartReply, StepVerdict } from './step.ts';

/** What the checks found in the reply of one part. */
export interface CheckedPart {
  readonly partId: string;
  readonly repaired: boolean;
  readonly breaches: readonly Breach[];
}

/** Accepts when no part breaks a rule; rejects, naming the part, when one still does after its repair turn; else asks for repair turns. */
export function settleParts<Output>(
  parts: readonly CheckedPart[],
  accepted: () => { readonly output: Output; readonly flags: readonly Flag[] },
): StepVerdict<Output> {
  const broken = parts.filter(({ breaches }) => breaches.length > 0);
  if (broken.length === 0) return { kind: 'accepted', ...accepted() };
  const final = broken.find(({ repaired }) => repaired);
  if (final === undefined)
    return { kind: 'repair', notes: broken.flatMap(({ partId, breaches }) => breaches.map((breach) => ({ partId, ...breach }))) };
  const places = final.breaches.map(({ rule, path }) => `${rule} at ${path}`).join('; ');
  return {
    kind: 'rejected',
    reason: final.breaches[0]?.rule ?? 'broken',
    detail: `Part ${final.partId} is still broken after its repair turn: ${places}`,
    partId: final.partId,
  };
}

/** The reply of a part; a step is only asked to accept when every part it requested has one. */
export function replyOf<Reply>(replies: ReadonlyMap<string, PartReply<Reply>>, partId: string): PartReply<Reply> {
  const reply = replies.get(partId);
  if (reply === undefined) throw new Error(`part ${partId} has no reply: accept was called before every requested part was answered`);
  return reply;
}
