import type { ResponseFormat } from '../schemas/ledger.ts';
import { ROLES } from '../schemas/steps.ts';
import type { RunSpec } from '../schemas/run-spec.ts';
import type { RunRow, Store } from '../store/port.ts';
import { ensureOrder } from './ensure-order.ts';
import { bindRoles, pipelineHash, prepareSteps } from './prepare-steps.ts';
import type { FormatModes } from './prepare-steps.ts';
import type { RoleBinding } from './run-context.ts';
import { readSpec } from './read-spec.ts';
import { keepVersions } from './step-versions.ts';

/** Finds out how far an endpoint honours structured output for a model; `spec` names the provider's settings. */
export type ModeProbe = (spec: RunSpec, binding: RoleBinding) => Promise<ResponseFormat['type']>;

async function probeModes(spec: RunSpec, probe: ModeProbe): Promise<FormatModes> {
  const roles = bindRoles(spec);
  const modes: Record<string, ResponseFormat['type']> = {};
  for (const role of ROLES) {
    const binding = roles[role];
    modes[`${binding.provider}/${binding.model}`] ??= await probe(spec, binding);
  }
  return modes;
}

/** Reads, screens and orders the sources (stored once per order id), fixes the format modes, keeps what the step versions stand for, and writes the run's row. Safe to repeat. */
export async function prepareBuild(
  deps: { readonly store: Store; readonly probeMode: ModeProbe; readonly clock: () => number },
  runId: string,
  kind: RunRow['kind'] = 'build',
): Promise<void> {
  const { store } = deps;
  if ((await store.run(runId)) !== null) return;
  const spec = await readSpec(store, runId);
  const order = await ensureOrder(deps, spec);
  const modes = await probeModes(spec, deps.probeMode);
  const steps = prepareSteps(spec, modes);
  const hash = pipelineHash(spec, steps);
  await keepVersions(store, steps, hash, spec.config.seed);
  await store.startRun({
    id: runId,
    label: spec.label,
    kind,
    pipelineHash: hash,
    orderId: order.id,
    seed: spec.config.seed,
    config: JSON.stringify({ modes }),
    startedAt: spec.startedAt,
  });
  await store.putRunState({ runId, state: 'running', reason: '', until: null, at: deps.clock() });
}
