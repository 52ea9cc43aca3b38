import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One request of a batch file. */
export interface BatchRequest {
  readonly custom_id: string;
  readonly body: unknown;
}

/** Batch files of a folder that have no results yet, by the path the results go to. */
export function openRequests(folder: string): ReadonlyMap<string, readonly BatchRequest[]> {
  const names = readdirSync(folder);
  const open = names.filter((name) => name.endsWith('.requests.jsonl') && !names.includes(name.replace('.requests.', '.results.')));
  return new Map(
    open.map((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
      return [join(folder, name.replace('.requests.', '.results.')), lines.map((line) => JSON.parse(line) as BatchRequest)];
    }),
  );
}

/** The result line of a request as a batch engine writes it: what the endpoint at `url` answers. */
export async function answerLine(url: string, { custom_id: customId, body }: BatchRequest): Promise<string> {
  const reply = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const response = { status_code: reply.status, request_id: 'r', body: await reply.json() };
  return JSON.stringify({ id: `batch_req_${customId}`, custom_id: customId, response, error: null });
}
