import { join, resolve } from 'node:path';
import { readSpec } from '../../activities/read-spec.ts';
import type { BatchPorts } from '../../llm/batch/desk.ts';
import { fileTransport } from '../../llm/batch/file-transport.ts';
import { providerTransport } from '../../llm/batch/provider-transport.ts';
import type { BatchTransport } from '../../llm/batch/transport.ts';
import { systemClock } from '../../llm/clock.ts';
import type { ChatEndpoint } from '../../llm/openai-client.ts';
import type { BatchRow } from '../../schemas/batch.ts';
import type { RunSpec } from '../../schemas/run-spec.ts';
import type { Role } from '../../schemas/steps.ts';
import type { Store } from '../../store/port.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Logger } from '../log.ts';

/** Whether a role is answered by files, so that nothing of it may be asked at an endpoint. */
export function isByFile(spec: RunSpec, role: Role): boolean {
  return spec.config.models?.[role].mode === 'file';
}

/** Whether files alone answer a provider (or one model of it): then it needs no key and cannot be probed. */
export function isOnlyByFile(spec: RunSpec, provider: string, model?: string): boolean {
  const roles = Object.values(spec.config.models ?? {}).filter(
    (role) => role?.provider === provider && (model === undefined || role.model === model),
  );
  return roles.length > 0 && roles.every((role) => role?.mode === 'file');
}

/** The wiring of batches: which roles use them, and the way each batch takes. */
export function createBatchPorts(deps: {
  readonly store: Store;
  readonly log: Logger;
  readonly projectFolder: string;
  readonly specs: ReadonlyMap<string, RunSpec>;
  readonly endpointOf: (provider: string) => ChatEndpoint | undefined;
}): BatchPorts {
  const { store, log, projectFolder } = deps;
  const own = join(projectFolder, 'batches');
  const byFolder = new Map<string, BatchTransport>();
  const inFolder = (folder: string): BatchTransport => {
    const transport = byFolder.get(folder) ?? fileTransport(folder);
    byFolder.set(folder, transport);
    return transport;
  };
  return {
    store: store.batches,
    notice: (sentence) => log.info(sentence),
    settingsOf: ({ runId, role, step }) => {
      const model = step === 'canary' || step === 'probe' ? undefined : deps.specs.get(runId)?.config.models?.[role];
      if (model === undefined || model.mode === 'online') return null;
      const { folder = null, pollSeconds, maxRequests } = model.batch;
      return { transport: model.mode === 'file' ? 'file' : 'provider', folder, pollSeconds, maxRequests };
    },
    transportOf: async (batch: BatchRow) => {
      if (batch.transport === 'file')
        return inFolder(batch.folder === null ? own : resolve((await readSpec(store, batch.runId)).baseDir, batch.folder));
      const endpoint = deps.endpointOf(batch.provider);
      if (endpoint === undefined)
        throw new CliError(
          `Batch ${batch.id} is out at provider ${batch.provider}, which the config does not have any more. Put it back, then type: memcalib build.`,
          EXIT.usage,
        );
      return providerTransport(endpoint, own, systemClock);
    },
  };
}
