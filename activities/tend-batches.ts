import type { BatchTurn } from '../llm/batch/desk.ts';
import type { ValidatorOf } from '../llm/batch/ingest.ts';
import { isStepId } from '../schemas/steps.ts';
import type { BatchesResult } from '../workflows/types.ts';
import { validatorOf } from './ask-part.ts';
import type { RunContext } from './run-context.ts';

/** One turn at the desk for batches of a run; answers are checked by the same schemas as those that come one by one. */
export async function tendBatches(
  run: RunContext,
  deps: {
    readonly tendBatches: (runId: string, validatorOf: ValidatorOf, asked: boolean) => Promise<BatchTurn>;
    readonly clock: () => number;
  },
  asked: boolean,
): Promise<BatchesResult> {
  const validator: ValidatorOf = (step) => {
    const prepared = isStepId(step) ? run.steps.get(step) : undefined;
    if (prepared === undefined) throw new Error(`a batch holds a call of step ${step}, which the pipeline does not have`);
    return validatorOf(prepared);
  };
  const turn = await deps.tendBatches(run.runId, validator, asked);
  if (turn.kind !== 'waiting') return turn;
  const { sentence, pollAfterMs, forPerson } = turn;
  return { kind: 'waiting', sentence, pollAfterMs, until: forPerson ? null : deps.clock() + pollAfterMs };
}
