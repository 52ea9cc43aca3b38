import type { Gates } from '../../activities/gates.ts';
import { bindRoles } from '../../activities/prepare-steps.ts';
import type { ModeProbe } from '../../activities/prepare-build.ts';
import { readSpec } from '../../activities/read-spec.ts';
import type { BatchTurn } from '../../llm/batch/desk.ts';
import type { ValidatorOf } from '../../llm/batch/ingest.ts';
import type { BudgetCaps } from '../../llm/budget.ts';
import type { CallEvent, Provider } from '../../llm/client-parts.ts';
import { systemClock } from '../../llm/clock.ts';
import type { Gate } from '../../llm/gate.ts';
import { createModelClient } from '../../llm/ledger-client.ts';
import type { LedgerModelClient } from '../../llm/ledger-client.ts';
import { createLimiter } from '../../llm/limiter.ts';
import { createEndpoint } from '../../llm/openai-client.ts';
import { DriftSentinel } from '../../llm/drift.ts';
import { priceBook } from '../../llm/prices.ts';
import type { PriceOf } from '../../llm/prices.ts';
import type { ProviderConfig } from '../../schemas/config.ts';
import { hashOf } from '../../schemas/hash.ts';
import type { ModelClient } from '../../schemas/ledger.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import type { Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Logger } from '../log.ts';
import { createBatchPorts, isByFile, isOnlyByFile } from './batch-ports.ts';
import { probeMode, unprobedMode } from './probe-mode.ts';
import type { RehearsalChild } from './rehearsal-child.ts';

/** The wiring of models: one client and one limiter per owner, providers as the configs of its runs name them. */
export interface Models {
  clientFor(spec: RunSpec): Promise<ModelClient>;
  readonly probeMode: ModeProbe;
  /** One turn at the desk for batches (llm/batch/desk.ts). */
  tendBatches(runId: string, validatorOf: ValidatorOf, asked: boolean): Promise<BatchTurn>;
  /** Asks for the end of the batches of a run that are out; one sentence each for a person. */
  cancelBatches(runId: string): Promise<readonly string[]>;
  /** Raises the cap of a run for good: a fact of the project, read again by every later owner. */
  raiseCap(runId: string, usd: number): Promise<void>;
  /** A person resumed: blocks are let go, and what a drift pause showed is the new baseline. */
  resumed(): Promise<void>;
  /** Sends nothing more; calls on the wire land. */
  drain(): void;
  close(): Promise<void>;
}

interface ModelDeps {
  readonly store: Store;
  readonly gates: Gates;
  readonly env: NodeJS.ProcessEnv;
  readonly rehearsal: RehearsalChild;
  readonly log: Logger;
  /** Where batches lie unless the config names another folder. */
  readonly projectFolder: string;
}

/** How the rehearsal model is asked, wherever its server runs. */
export const REHEARSAL: Omit<ProviderConfig, 'baseUrl'> = {
  concurrency: 64,
  startConcurrency: 64,
  timeoutSeconds: 120,
  structuredOutput: 'json_schema',
  schemaBounds: 'strict',
};

const FREE = { inputPerMillionUsd: 0, outputPerMillionUsd: 0 };

/** The key of a provider from the environment; a missing one is a sentence, never an empty header. */
export function keyOf(name: string, config: ProviderConfig, env: NodeJS.ProcessEnv): string | undefined {
  if (config.apiKeyEnv === undefined) return undefined;
  const key = env[config.apiKeyEnv];
  if (key === undefined || key === '') {
    throw new CliError(
      `Provider ${name} needs a key in the environment variable ${config.apiKeyEnv}, which is not set where the owner runs. Set it, end a running owner (\`memcalib status\` names it), and type the command again.`,
      EXIT.environment,
    );
  }
  return key;
}

/** An endpoint with its limits, made from the config and the environment. */
export function openProvider(name: string, config: ProviderConfig, env: NodeJS.ProcessEnv, needsKey = true): Provider {
  const apiKey = needsKey ? keyOf(name, config, env) : undefined;
  const { concurrency, startConcurrency, requestsPerMinute, tokensPerMinute, requestsPerDay } = config;
  const rates = {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    ...(requestsPerDay !== undefined && { requestsPerDay }),
  };
  return {
    endpoint: createEndpoint({
      name,
      baseUrl: config.baseUrl,
      ...(apiKey !== undefined && { apiKey }),
      timeoutMs: config.timeoutSeconds * 1000,
      clock: systemClock,
    }),
    limits: { concurrency, ...rates, ...(startConcurrency !== undefined && { startConcurrency }) },
  };
}

/** The prices of a run. The rehearsal model costs nothing, which is known and not missing, unless the config puts a price on it. */
export function bookOf(spec: Pick<RunSpec, 'config' | 'rehearsal'>): PriceOf {
  const told = priceBook(spec.config.prices ?? {});
  if (!spec.rehearsal) return told;
  return (provider, model) => told(provider, model) ?? (provider === 'rehearsal' ? FREE : null);
}

/** Where the raised cap of a run lies. */
function capFact(runId: string): string {
  return `run-cap-usd:${runId}`;
}

/** The caps a run was started with; `raisedUsd` is what a person set at a resume, and holds in place of the run's own. */
export function capsOf(spec: Pick<RunSpec, 'config'> | undefined, raisedUsd: number | undefined): BudgetCaps {
  if (spec === undefined) return {};
  const micro = (usd: number | undefined): number | undefined => (usd === undefined ? undefined : Math.round(usd * 1_000_000));
  const { perCallUsd, perStepUsd, perDayUsd } = spec.config.budget;
  const perRunUsd = raisedUsd ?? spec.config.budget.perRunUsd;
  return {
    perCallMicroUsd: micro(perCallUsd),
    perStepMicroUsd: micro(perStepUsd),
    perRunMicroUsd: micro(perRunUsd),
    perDayMicroUsd: micro(perDayUsd),
  };
}

/** The gate of the model client over the owner's gates: a run's gate is that of its label. */
function gateOf(gates: Gates, labelOf: (runId: string) => string, log: Logger): Gate {
  return {
    state: (runId) => {
      const closed = gates.closed(labelOf(runId));
      return closed === null ? { closed: false, reason: '', until: null } : { closed: true, ...closed };
    },
    close: (reason, detail, until, runId) => {
      log.warn(`gate closed: ${reason}`);
      return gates.close(labelOf(runId), reason, detail, until);
    },
    onChange: (listener) => gates.onChange(listener),
  };
}

/** Watches the models of each run from its first paid call on: a run that is served from the ledger asks no canary. */
function driftWatch(
  deps: ModelDeps,
  client: () => LedgerModelClient,
  gate: Gate,
  specs: ReadonlyMap<string, RunSpec>,
): { readonly observe: (event: CallEvent) => void; readonly accept: () => Promise<void> } {
  const sentinels = new Map<string, DriftSentinel>();
  const sentinelOf = (spec: RunSpec): DriftSentinel => {
    const roles = Object.values(bindRoles(spec)).filter(({ role }) => !isByFile(spec, role));
    return new DriftSentinel({
      client: client(),
      gate,
      roles,
      readFact: (name) => deps.store.fact(name),
      writeFact: (name, value) => deps.store.putFact(name, value),
      attemptsOf: async (key) => (await deps.store.ledger.attempts([key])).get(key) ?? [],
      notice: (sentence) => deps.log.warn(sentence),
    });
  };
  return {
    observe: (event) => {
      const { runId, step } = event.request;
      const spec = specs.get(runId);
      if (spec === undefined || step === 'canary' || step === 'probe') return;
      const known = sentinels.get(runId);
      if (known !== undefined) return known.observe(event);
      const sentinel = sentinelOf(spec);
      sentinels.set(runId, sentinel);
      void sentinel.start(runId).catch((error: unknown) => deps.log.warn(`the canary could not be asked: ${String(error)}`));
    },
    accept: async () => {
      for (const sentinel of sentinels.values()) await sentinel.accept();
    },
  };
}

/** How far an endpoint honours structured output for a role: as configured, as probed, or taken for granted where only files answer. */
async function modeOf(
  { store, env, log }: ModelDeps,
  configsOf: (spec: RunSpec) => Promise<Readonly<Record<string, ProviderConfig>>>,
  priceOf: PriceOf,
  ...[spec, binding]: Parameters<ModeProbe>
): ReturnType<ModeProbe> {
  const config = (await configsOf(spec))[binding.provider];
  if (config === undefined)
    throw new CliError(
      `Role ${binding.role} names provider ${binding.provider}, which providers in the config does not have. Add it, then type the command again.`,
      EXIT.usage,
    );
  const notice = (sentence: string): void => log.warn(sentence);
  if (config.structuredOutput !== 'auto') return config.structuredOutput;
  if (isOnlyByFile(spec, binding.provider, binding.model)) return unprobedMode(store, binding, notice);
  const provider = openProvider(binding.provider, config, env);
  return probeMode(store, { binding, config, provider, priceOf, runId: spec.runId, notice });
}

/** Makes the owner's door to models. */
export function createModels(deps: ModelDeps): Models {
  const { store, gates, env, rehearsal, log } = deps;
  const providers = new Map<string, Provider>();
  const madeFrom = new Map<string, string>();
  const specs = new Map<string, RunSpec>();
  const books = new Map<string, PriceOf>();
  const raisedCaps = new Map<string, number>();
  const configsOf = async (spec: RunSpec): Promise<Readonly<Record<string, ProviderConfig>>> =>
    spec.rehearsal ? { rehearsal: { ...REHEARSAL, baseUrl: await rehearsal.url() } } : (spec.config.providers ?? {});
  const priceOf: PriceOf = (provider, model) =>
    [...books.values()].map((book) => book(provider, model)).find((price) => price !== null) ?? null;
  const gate = gateOf(gates, (runId) => specs.get(runId)?.label ?? '*', log);
  const limiter = createLimiter();
  const drift = driftWatch(deps, () => client, gate, specs);
  const batching = createBatchPorts({
    store,
    log,
    projectFolder: deps.projectFolder,
    specs,
    endpointOf: (name) => providers.get(name)?.endpoint,
  });
  const client: LedgerModelClient = createModelClient({
    ledger: store.ledger,
    providers,
    limiter,
    priceOf,
    caps: (runId) => capsOf(specs.get(runId), raisedCaps.get(runId)),
    gate,
    clock: systemClock,
    onCall: (event) => drift.observe(event),
    batching,
  });
  const admit = async (spec: RunSpec): Promise<void> => {
    for (const [name, config] of Object.entries(await configsOf(spec))) {
      const needsKey = !isOnlyByFile(spec, name);
      const made = hashOf({ config, needsKey });
      if (madeFrom.get(name) === made) continue;
      const old = providers.get(name);
      providers.set(name, openProvider(name, config, env, needsKey));
      madeFrom.set(name, made);
      old?.endpoint.close();
    }
    books.set(spec.runId, bookOf(spec));
    const raised = await store.fact(capFact(spec.runId));
    if (raised !== null) raisedCaps.set(spec.runId, Number(raised));
    specs.set(spec.runId, spec);
    await client.loadBatches();
  };
  return {
    clientFor: async (spec) => {
      await admit(spec);
      return client;
    },
    probeMode: (spec, binding) => modeOf(deps, configsOf, priceOf, spec, binding),
    tendBatches: (runId, validatorOf, asked) => client.tendBatches(runId, validatorOf, asked),
    cancelBatches: async (runId) => {
      const isOut = (await store.batches.out()).some((batch) => batch.runId === runId);
      if (!isOut) return [];
      await admit(await readSpec(store, runId));
      return client.cancelBatches(runId);
    },
    raiseCap: async (runId, usd) => {
      await store.putFact(capFact(runId), String(usd));
      raisedCaps.set(runId, usd);
    },
    resumed: async () => {
      limiter.unblock();
      await drift.accept();
    },
    drain: () => client.drain(),
    close: () => client.close(),
  };
}
