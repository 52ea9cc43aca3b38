import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { attach } from '../attach.ts';
import type { LoadedConfig } from '../config-file.ts';
import { probeRoles } from '../owner/probe-roles.ts';
import type { RoleProbe } from '../owner/probe-roles.ts';
import { closeToOthers, keepFilesPrivate } from '../private-files.ts';
import type { Finding } from './doctor.ts';
import { endpointFindings } from './endpoint-findings.ts';

/** Asks the owner when one holds the store, else opens the store here: what is asked stands in the ledger like any other call. */
async function probe(loaded: LoadedConfig, env: NodeJS.ProcessEnv, all: boolean): Promise<readonly RoleProbe[]> {
  const owner = attach(loaded.projectFolder);
  if (owner !== null) return (await owner.call('endpoints.probe', { config: loaded.config, all })) as readonly RoleProbe[];
  keepFilesPrivate();
  mkdirSync(loaded.projectFolder, { recursive: true, mode: 0o700 });
  const { openStore } = await import('../../store/open.ts');
  const store = await openStore(join(loaded.projectFolder, 'memcalib.duckdb'));
  try {
    return await probeRoles(store, loaded.config, env, all);
  } finally {
    await store.close();
    closeToOthers(loaded.projectFolder);
  }
}

/** What is to be said before anything is asked: that calls are made, where, and who may bill them. Null when nothing is asked. */
export function probeNotice(loaded: LoadedConfig, all: boolean): string | null {
  if (loaded.config.models === undefined || !all) return null;
  return 'Asking every endpoint for its list of models and for at most three tiny replies per model; the provider may bill them, and they stand in `memcalib calls --step probe`.';
}

/** One line per fact of each role's endpoint. Without `all` only loopback and private ones are asked; of the others what is kept is shown. */
export async function checkEndpoints(loaded: LoadedConfig, env: NodeJS.ProcessEnv, all: boolean): Promise<readonly Finding[]> {
  if (loaded.config.models === undefined)
    return [{ what: 'Endpoint', ok: true, detail: 'none configured: the rehearsal model answers, free of charge', cure: '' }];
  return (await probe(loaded, env, all)).flatMap(endpointFindings);
}
