import type { ModelClient } from '../schemas/ledger.ts';
import type { RunSpec } from '../schemas/run-spec.ts';
import type { Store, StepOutputRow } from '../store/port.ts';
import { createBatcher } from './batcher.ts';
import type { Gates } from './gates.ts';
import { prepareSteps } from './prepare-steps.ts';
import type { FormatModes } from './prepare-steps.ts';
import { readSpec, UnknownRunError } from './read-spec.ts';
import type { RunContext } from './run-context.ts';

type WantedVerdict = Pick<StepOutputRow, 'candidateId' | 'step' | 'stepVersion' | 'inputHash'>;

const tupleOf = (wanted: WantedVerdict): string => `${wanted.candidateId} ${wanted.step} ${wanted.stepVersion} ${wanted.inputHash}`;

/** One batched look-up of stored verdicts per moment, whoever asks. */
export function storedVerdicts(store: Store): (wanted: WantedVerdict) => Promise<StepOutputRow | null> {
  return createBatcher(async (wanted: readonly WantedVerdict[]) => {
    const found = new Map((await store.stepOutputs(wanted)).map((row) => [tupleOf(row), row]));
    return wanted.map((item) => found.get(tupleOf(item)) ?? null);
  });
}

/** Run contexts by id, built from the store at first need and kept. */
export interface RunContexts {
  get(runId: string): Promise<RunContext>;
}

/** Rebuilds what activities need of a run from the store; `clientFor` is the wiring's door to models. */
export function createRunContexts(deps: {
  readonly store: Store;
  readonly gates: Gates;
  readonly clientFor: (spec: RunSpec) => Promise<ModelClient>;
}): RunContexts {
  const kept = new Map<string, Promise<RunContext>>();
  const storedVerdict = storedVerdicts(deps.store);
  const build = async (runId: string): Promise<RunContext> => {
    const run = await deps.store.run(runId);
    if (run === null) throw new UnknownRunError(`The store knows no prepared run ${runId}.`);
    const spec = await readSpec(deps.store, runId);
    const { modes } = JSON.parse(run.config) as { readonly modes: FormatModes };
    return {
      runId,
      orderId: run.orderId,
      pipelineHash: run.pipelineHash,
      spec,
      steps: prepareSteps(spec, modes),
      client: await deps.clientFor(spec),
      closed: () => deps.gates.closed(spec.label),
      storedVerdict,
    };
  };
  return {
    get: (runId) => {
      const known = kept.get(runId) ?? build(runId);
      kept.set(runId, known);
      known.catch(() => kept.delete(runId));
      return known;
    },
  };
}
