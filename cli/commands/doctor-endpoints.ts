import type { LoadedConfig } from '../config-file.ts';
import { openProvider } from '../owner/models.ts';
import type { Finding } from './doctor.ts';

/** One line per configured endpoint; without `probe` only what the config and the environment say. */
export async function checkEndpoints(loaded: LoadedConfig, env: NodeJS.ProcessEnv, probe: boolean): Promise<readonly Finding[]> {
  const providers = Object.entries(loaded.config.providers ?? {});
  if (providers.length === 0)
    return [{ what: 'Endpoint', ok: true, detail: 'none configured: the rehearsal model answers, free of charge', cure: '' }];
  const findings: Finding[] = [];
  for (const [name, config] of providers) {
    try {
      const { endpoint } = openProvider(name, config, env);
      const reached = probe ? await endpoint.get('models') : null;
      endpoint.close();
      const status =
        reached === null
          ? 'not probed (type `memcalib doctor --endpoints`)'
          : 'reply' in reached
            ? `answered with HTTP ${reached.reply.status}`
            : `not reached: ${reached.failure.detail}`;
      const ok = reached === null || ('reply' in reached && reached.reply.status < 400);
      findings.push({
        what: `Endpoint ${name}`,
        ok,
        detail: `${config.baseUrl}, ${status}`,
        cure: ok ? '' : 'check the address, the key and that the server runs',
      });
    } catch (error) {
      findings.push({
        what: `Endpoint ${name}`,
        ok: false,
        detail: error instanceof Error ? error.message : String(error),
        cure: 'see the sentence above',
      });
    }
  }
  return findings;
}
