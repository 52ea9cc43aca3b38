import { existsSync } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchRow } from '../../schemas/batch.ts';
import type { BatchTransport } from './transport.ts';
import { BatchTransportError } from './transport.ts';

/** Where the requests of a file batch lie. */
export function requestsFile(folder: string, id: string): string {
  return join(folder, `${id}.requests.jsonl`);
}

/** Where the answers to a file batch are looked for. */
export function resultsFile(folder: string, id: string): string {
  return join(folder, `${id}.results.jsonl`);
}

/** Writes a file so that it is whole under its name or not there at all; requests hold row text, so only the owner may read them. */
async function writeWhole(file: string, lines: readonly string[]): Promise<void> {
  const part = `${file}.part`;
  const handle = await open(part, 'w', 0o600);
  try {
    for (const line of lines) await handle.write(line);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(part, file);
}

/** Batches as files: OpenAI batch JSONL goes into a folder, answers are read from a results file beside it. */
export function fileTransport(folder: string): BatchTransport {
  const seen = new Map<string, string>();
  return {
    submit: async (batch, lines) => {
      const file = requestsFile(folder, batch.id);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeWhole(file, lines);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
        const detail = `The requests of batch ${batch.id} could not be written to ${folder} (${code}); make the folder writable and free some space, then type: memcalib resume.`;
        throw new BatchTransportError(detail, { reason: code === 'ENOSPC' ? 'disk' : 'batch', detail, until: null });
      }
      return file;
    },
    find: ({ id }) =>
      Promise.resolve(existsSync(requestsFile(folder, id)) ? { kind: 'found', remoteId: requestsFile(folder, id) } : { kind: 'absent' }),
    look: async (batch, asked) => {
      const results = resultsFile(folder, batch.id);
      const said = waitSentence(folder, batch);
      if (!existsSync(results)) return { kind: 'working', said };
      const { size, mtimeMs } = await stat(results);
      const state = `${size} ${mtimeMs}`;
      if (!asked && seen.get(batch.id) === state) return { kind: 'working', said };
      seen.set(batch.id, state);
      return { kind: 'results', files: [results], final: asked, unanswered: 'left_out', said };
    },
    cancel: (batch) => Promise.resolve({ kind: 'with_person', where: requestsFile(folder, batch.id) }),
  };
}

function waitSentence(folder: string, batch: BatchRow): string {
  return `${batch.requests} requests of ${batch.role} lie in ${requestsFile(folder, batch.id)}; put the answers into ${resultsFile(folder, batch.id)}, then type: memcalib build`;
}
