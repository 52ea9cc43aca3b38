import { endpointFact } from '../endpoint-fact.ts';
import { bindRole } from '../../activities/prepare-steps.ts';
import type { RoleBinding } from '../../activities/run-context.ts';
import { isPrivateHost } from '../../llm/endpoint-rules.ts';
import { priceBook } from '../../llm/prices.ts';
import type { ModelPrice } from '../../llm/prices.ts';
import type { EndpointFacts } from '../../llm/probe.ts';
import type { Config, ProviderConfig } from '../../schemas/config.ts';
import { canonicalJson } from '../../schemas/hash.ts';
import type { CallRole } from '../../schemas/steps.ts';
import type { Store } from '../../store/port.ts';
import { openProvider } from './models.ts';
import { probeFacts } from './probe-mode.ts';

/** What is known of the endpoint and model that answer one or more roles. */
export interface RoleProbe {
  readonly roles: readonly CallRole[];
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly local: boolean;
  /** Found out just now, in calls of this command. */
  readonly asked: boolean;
  /** What was found now, or what was kept before; null when neither. */
  readonly facts: EndpointFacts | null;
  /** What an earlier look had found, when it was asked anew. */
  readonly before: EndpointFacts | null;
  readonly price: ModelPrice | null;
  readonly wantedMode: ProviderConfig['structuredOutput'];
  /** Whether the config asks for replies without thinking. */
  readonly wantsNoThinking: boolean;
  /** Why the endpoint could not even be asked; null when it could. */
  readonly refusal: string | null;
}

/** A slow endpoint is given this long in all, and so long per call. */
const DEADLINE_MS = 90_000;
const LONGEST_CALL_S = 60;
/** Ledger name of calls that no build made. */
const RUN_ID = 'doctor';

/** How vendors are asked to leave thinking out (docs/models.md). */
const THINKING_OFF = /"(enable_thinking|think|enabled)":false|"reasoning_effort":"none"|"type":"disabled"/;

interface Group {
  readonly roles: CallRole[];
  readonly binding: RoleBinding<CallRole>;
}

/** Roles that are asked in the same way share one look. */
function groupsOf(config: Config): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const [role, model] of Object.entries(config.models ?? {}) as [CallRole, NonNullable<Config['models']>['builder'] | undefined][]) {
    if (model === undefined) continue;
    const binding = bindRole(role, model);
    const name = canonicalJson([binding.provider, binding.model, binding.sampling.extra ?? null]);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, { roles: [role], binding });
    else known.roles.push(role);
  }
  return [...groups.values()];
}

function isLocal(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isPrivateHost(new URL(baseUrl).hostname);
}

async function probeGroup(store: Store, config: Config, group: Group, env: NodeJS.ProcessEnv, all: boolean): Promise<RoleProbe> {
  const { binding, roles } = group;
  const { provider, model, sampling } = binding;
  const settings = config.providers?.[provider];
  if (settings === undefined) throw new Error(`the config was checked, but has no provider ${provider}`);
  const priceOf = priceBook(config.prices ?? {});
  const stored = await store.fact(endpointFact(provider, model));
  const before = stored === null ? null : (JSON.parse(stored) as EndpointFacts);
  const local = isLocal(settings.baseUrl);
  const base = {
    roles,
    provider,
    model,
    baseUrl: settings.baseUrl,
    local,
    price: priceOf(provider, model),
    wantedMode: settings.structuredOutput,
    wantsNoThinking: THINKING_OFF.test(canonicalJson(sampling.extra ?? {})),
  };
  if (!all && !local) return { ...base, asked: false, facts: before, before: null, refusal: null };
  try {
    const opened = openProvider(provider, { ...settings, timeoutSeconds: Math.min(settings.timeoutSeconds, LONGEST_CALL_S) }, env);
    const target = { binding, config: settings, provider: opened, priceOf, runId: RUN_ID, notice: () => undefined };
    return { ...base, asked: true, facts: await probeFacts(store, target, DEADLINE_MS), before, refusal: null };
  } catch (error) {
    return { ...base, asked: false, facts: null, before, refusal: error instanceof Error ? error.message : String(error) };
  }
}

/** Looks at the endpoint of every role of a config: local ones always, others (whose calls may cost money) only with `all`. */
export async function probeRoles(store: Store, config: Config, env: NodeJS.ProcessEnv, all: boolean): Promise<readonly RoleProbe[]> {
  const found: RoleProbe[] = [];
  for (const group of groupsOf(config)) found.push(await probeGroup(store, config, group, env, all));
  return found;
}
