import type { ProviderConfig } from '../../schemas/config.ts';
import type { ResponseFormat } from '../../schemas/ledger.ts';
import type { Store } from '../../store/port.ts';
import type { Logger } from '../log.ts';

/** What a probe is about. */
export interface ProbeTarget {
  readonly name: string;
  readonly config: ProviderConfig;
  readonly model: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/** How far an endpoint honours structured output for a model: as configured, as probed before, or probed now and stored with its date. */
export async function probeMode(store: Store, target: ProbeTarget): Promise<ResponseFormat['type']> {
  const { structuredOutput } = target.config;
  if (structuredOutput !== 'auto') return structuredOutput;
  const fact = `format-mode:${target.name}/${target.model}`;
  const known = await store.fact(fact);
  if (known !== null) return (JSON.parse(known) as { readonly mode: ResponseFormat['type'] }).mode;
  return 'json_schema';
}
