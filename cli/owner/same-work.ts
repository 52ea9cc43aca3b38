import { hashOf } from '../../schemas/hash.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';

/** What a client asks for: a run without its id and time. */
export type WantedRun = Omit<RunSpec, 'runId' | 'startedAt'>;

/** Whether two runs do the same: one may go on where the other stopped. */
export function sameWork(a: WantedRun, b: WantedRun): boolean {
  const work = ({ label, config, baseDir, prompts }: WantedRun): unknown => ({ label, config, baseDir, prompts });
  return hashOf(work(a)) === hashOf(work(b));
}
