import type { Gate } from '../../llm/gate.ts';
import { systemClock } from '../../llm/clock.ts';
import type { Provider } from '../../llm/client-parts.ts';
import { createModelClient } from '../../llm/ledger-client.ts';
import type { LedgerModelClient } from '../../llm/ledger-client.ts';
import { createLimiter } from '../../llm/limiter.ts';
import type { PriceOf } from '../../llm/prices.ts';
import { probeEndpoint } from '../../llm/probe.ts';
import type { EndpointFacts } from '../../llm/probe.ts';
import type { RoleBinding } from '../../activities/run-context.ts';
import type { ProviderConfig } from '../../schemas/config.ts';
import type { ModelClient, ResponseFormat } from '../../schemas/ledger.ts';
import type { CallRole } from '../../schemas/steps.ts';
import type { Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { endpointFact } from '../endpoint-fact.ts';

/** What is probed and with what. */
export interface ProbeTarget {
  readonly binding: RoleBinding<CallRole>;
  readonly config: ProviderConfig;
  readonly provider: Provider;
  readonly priceOf: PriceOf;
  readonly runId: string;
  readonly notice: (sentence: string) => void;
}

/** A gate of its own for calls outside of builds: a refused key closes no run. */
export function ownGate(): Gate {
  let closed = { closed: false, reason: '', until: null as number | null };
  const listeners = new Set<() => void>();
  return {
    state: () => closed,
    close: (reason, detail, until) => {
      closed = { closed: true, reason: detail === '' ? reason : detail, until };
      for (const listener of listeners) listener();
      return Promise.resolve();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Asks an endpoint what it can do, in a few small calls that stand in the ledger, and keeps the answer with its date. */
export async function probeFacts(store: Store, target: ProbeTarget, deadlineMs: number | null = null): Promise<EndpointFacts> {
  const client = probeClient(store, target);
  try {
    const facts = await ask(store, target, deadlineMs === null ? client : client.withSignal(AbortSignal.timeout(deadlineMs)));
    if (facts.structuredOutput !== null) await store.putFact(endpointFact(facts.provider, facts.model), JSON.stringify(facts));
    if (facts.downgrade !== null) target.notice(facts.downgrade);
    return facts;
  } finally {
    await client.close();
  }
}

function probeClient(store: Store, { binding, provider, priceOf }: ProbeTarget): LedgerModelClient {
  return createModelClient({
    ledger: store.ledger,
    providers: new Map([[binding.provider, provider]]),
    limiter: createLimiter(),
    priceOf,
    caps: () => ({}),
    gate: ownGate(),
    clock: systemClock,
  });
}

function ask(store: Store, { binding, provider, runId }: ProbeTarget, client: ModelClient): Promise<EndpointFacts> {
  const { role, model, sampling } = binding;
  return probeEndpoint({
    endpoint: provider.endpoint,
    client,
    ledger: store.ledger,
    clock: systemClock,
    provider: binding.provider,
    model,
    role,
    sampling,
    runId,
  });
}

/** How far an endpoint honours structured output for a model: as configured, as probed before, or probed now. */
export async function probeMode(store: Store, target: ProbeTarget): Promise<ResponseFormat['type']> {
  const { binding, config } = target;
  if (config.structuredOutput !== 'auto') return config.structuredOutput;
  const known = await store.fact(endpointFact(binding.provider, binding.model));
  const facts = known === null ? await probeFacts(store, target) : (JSON.parse(known) as EndpointFacts);
  if (facts.structuredOutput !== null) return facts.structuredOutput;
  throw new CliError(
    `The endpoint ${binding.provider} (${config.baseUrl}) gave no usable reply for model ${binding.model}: ${facts.problem ?? 'no mode worked'}. Check address, key and model name with \`memcalib doctor --endpoints\`, then type the command again.`,
    EXIT.environment,
  );
}

/** The mode of a model that only files answer: as probed before, else the full schema, which batch engines enforce. */
export async function unprobedMode(
  store: Store,
  binding: RoleBinding,
  notice: (sentence: string) => void,
): Promise<ResponseFormat['type']> {
  const known = await store.fact(endpointFact(binding.provider, binding.model));
  const mode = known === null ? null : (JSON.parse(known) as EndpointFacts).structuredOutput;
  if (mode !== null) return mode;
  notice(
    `Nobody was asked what ${binding.model} at ${binding.provider} can do, since files answer it: json_schema is taken; set structuredOutput of the provider to change that.`,
  );
  return 'json_schema';
}
