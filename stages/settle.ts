import type { Flag } from '../schemas/workpiece.ts';
import type { PartReply, RepairNote, StepVerdict } from './step.ts';

/** A rule that a reply breaks: `rule` is the reason code when the repair turn does not mend it, `path` names the place in the reply. */
export interface Breach {
  readonly rule: string;
  readonly path: string;
  /** What the model reads in its repair turn; never hints at a wanted level. */
  readonly message: string;
}

/** Accepts a reply without breaches; else asks for the one repair turn, and after it rejects under the first broken rule. */
export function settle<Output>(
  partId: string,
  breaches: readonly Breach[],
  repaired: boolean,
  accepted: () => { readonly output: Output; readonly flags: readonly Flag[] },
): StepVerdict<Output> {
  const first = breaches[0];
  if (first === undefined) return { kind: 'accepted', ...accepted() };
  if (!repaired) return { kind: 'repair', notes: breaches.map((breach): RepairNote => ({ partId, ...breach })) };
  const places = breaches.map((breach) => `${breach.rule} at ${breach.path}`).join('; ');
  return { kind: 'rejected', reason: first.rule, detail: `Still broken after the repair turn: ${places}`, partId };
}

/** The reply of a step's only part. A step is never decided without it: what failed is recorded as failed before. */
export function mainPart<Reply>(replies: ReadonlyMap<string, PartReply<Reply>>): PartReply<Reply> {
  const part = replies.get('main');
  if (part === undefined) throw new Error('A step with one part was decided without its reply: call accept only with every reply at hand');
  return part;
}
