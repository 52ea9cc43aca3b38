import { judgeRequest, judgeResponse, unjudged } from '../../activities/judge-response.ts';
import type { Judge, Judged } from '../../activities/judge-response.ts';
import { JUDGE_STATUSES } from '../../schemas/judging.ts';
import type { JudgeStatus, JudgmentEntry, RolloutLine } from '../../schemas/judging.ts';

/** Verdicts on all lines of a rollout, in their order, and how each came about. */
export interface Verdicts {
  readonly entries: readonly JudgmentEntry[];
  readonly statuses: Readonly<Record<JudgeStatus, number>>;
  readonly flags: Readonly<Record<string, number>>;
}

/** Why judging stopped before every response had its entry; what was answered stands in the ledger. */
export interface Stopped {
  readonly kind: 'paused' | 'unreached';
  readonly open: number;
  readonly reason: string;
}

/** Responses under way at once; the limiter decides how many of them are on the wire. */
const UNDER_WAY = 256;

/** More broken calls than this share are the endpoint's trouble and never written as invalid (the trainer's own limit of SPEC §8). */
const MOST_UNREACHED = 0.05;

async function judgeAll(judge: Judge, lines: readonly RolloutLine[], onDone: (done: number) => void): Promise<readonly Judged[]> {
  const ends: Judged[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let at = next; at < lines.length; at = next) {
      next += 1;
      const line = lines[at];
      if (line === undefined) return;
      ends[at] = await judgeResponse(judge, line);
      done += 1;
      onDone(done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(UNDER_WAY, lines.length) }, work));
  return ends;
}

type Settled = Extract<Judged, { readonly kind: 'judged' }>;

/** What keeps the file from being written; a few calls that broke off in two commands do not. */
function stopOf(ends: readonly Judged[]): Stopped | null {
  const broken = ends.flatMap((end) => (end.kind === 'unreached' ? [end] : []));
  const paused = ends.flatMap((end) => (end.kind === 'paused' ? [end] : []));
  const [firstPause, firstBroken] = [paused[0], broken[0]];
  if (firstPause !== undefined) return { kind: 'paused', open: paused.length + broken.length, reason: firstPause.reason };
  const isFew = broken.length <= MOST_UNREACHED * ends.length && broken.every(({ again }) => again);
  if (firstBroken === undefined || isFew) return null;
  return { kind: 'unreached', open: broken.length, reason: `${firstBroken.class}: ${firstBroken.message}` };
}

function settled(ends: readonly Judged[], lines: readonly RolloutLine[]): readonly Settled[] {
  return ends.flatMap((end, at): readonly Settled[] => {
    const line = lines[at];
    if (end.kind === 'judged') return [end];
    return end.kind === 'unreached' && line !== undefined ? [unjudged(line, `call ${end.class}: ${end.message}`)] : [];
  });
}

/** Judges every line; equal responses are asked once, and what an earlier command was answered is not asked again. */
export async function judgeLines(judge: Judge, lines: readonly RolloutLine[], onDone: (done: number) => void): Promise<Verdicts | Stopped> {
  await judge.client.prefetch([...new Set(lines.map((line) => judgeRequest(judge, line, 0, null).key))]);
  const ends = await judgeAll(judge, lines, onDone);
  const stop = stopOf(ends);
  if (stop !== null) return stop;
  const judged = settled(ends, lines);
  const statuses = Object.fromEntries(JUDGE_STATUSES.map((status) => [status, 0])) as Record<JudgeStatus, number>;
  const flags: Record<string, number> = {};
  for (const end of judged) {
    statuses[end.status] += 1;
    for (const { rule } of end.flags) flags[rule] = (flags[rule] ?? 0) + 1;
  }
  return { entries: judged.map(({ entry }) => entry), statuses, flags };
}
