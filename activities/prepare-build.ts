import { join, resolve } from 'node:path';
import { ingestSources } from '../hub/ingest.ts';
import type { IngestResult } from '../hub/ingest.ts';
import type { Candidate } from '../schemas/candidate.ts';
import type { ResponseFormat } from '../schemas/ledger.ts';
import { DOMAINS } from '../schemas/levels.ts';
import { ROLES } from '../schemas/steps.ts';
import type { RunSpec } from '../schemas/run-spec.ts';
import type { RowRejection } from '../schemas/source-row.ts';
import type { Store } from '../store/port.ts';
import { bindRoles, pipelineHash, prepareSteps } from './prepare-steps.ts';
import type { FormatModes } from './prepare-steps.ts';
import type { RoleBinding } from './run-context.ts';
import { readSpec } from './run-contexts.ts';

/** Finds out how far an endpoint honours structured output for a model; `spec` names the provider's settings. */
export type ModeProbe = (spec: RunSpec, binding: RoleBinding) => Promise<ResponseFormat['type']>;

/** Where the stratum weights of a project lie: computed at its first plan and kept (DESIGN §4). */
const WEIGHTS_FACT = 'strata-weights';

async function* allRejections(ingested: IngestResult): AsyncGenerator<readonly RowRejection[]> {
  yield* ingested.rejections();
}

async function* allCandidates(ingested: IngestResult): AsyncGenerator<readonly Candidate[]> {
  for (const domain of DOMAINS) yield* ingested.candidates(domain);
}

async function probeModes(spec: RunSpec, probe: ModeProbe): Promise<FormatModes> {
  const roles = bindRoles(spec);
  const modes: Record<string, ResponseFormat['type']> = {};
  for (const role of ROLES) {
    const binding = roles[role];
    modes[`${binding.provider}/${binding.model}`] ??= await probe(spec, binding);
  }
  return modes;
}

/** Reads, screens and orders the sources (stored once per order id), fixes the format modes, and writes the run's row. Safe to repeat. */
export async function prepareBuild(
  deps: { readonly store: Store; readonly probeMode: ModeProbe; readonly clock: () => number },
  runId: string,
): Promise<void> {
  const { store } = deps;
  if ((await store.run(runId)) !== null) return;
  const spec = await readSpec(store, runId);
  const { config } = spec;
  const stored = await store.fact(WEIGHTS_FACT);
  const ingested = await ingestSources(config.sources, {
    baseDir: spec.baseDir,
    sourcesDir: join(resolve(spec.baseDir, config.projectDir), 'sources'),
    seed: config.seed,
    ...config.screening,
    ...(stored !== null && { weights: JSON.parse(stored) }),
  });
  if ((await store.order(ingested.orderId)) === null) {
    await store.putOrder(
      { id: ingested.orderId, createdAt: deps.clock(), facts: JSON.stringify(ingested.facts) },
      allCandidates(ingested),
      allRejections(ingested),
    );
  }
  if (stored === null) await store.putFact(WEIGHTS_FACT, JSON.stringify(ingested.facts.weights));
  const modes = await probeModes(spec, deps.probeMode);
  await store.startRun({
    id: runId,
    label: spec.label,
    kind: 'build',
    pipelineHash: pipelineHash(spec, prepareSteps(spec, modes)),
    orderId: ingested.orderId,
    seed: config.seed,
    config: JSON.stringify({ modes }),
    startedAt: spec.startedAt,
  });
  await store.putRunState({ runId, state: 'running', reason: '', until: null, at: deps.clock() });
}
