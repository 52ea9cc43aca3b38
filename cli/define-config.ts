import type { ConfigInput } from '../schemas/config.ts';

export type { ConfigInput } from '../schemas/config.ts';

/** Gives `memcalib.config.ts` its types; returns the config as it is. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}
