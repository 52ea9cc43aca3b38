import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { BatchRow } from '../../schemas/batch.ts';
import { classify, classifyTransport } from '../classify.ts';
import type { Clock } from '../clock.ts';
import type { ChatEndpoint } from '../openai-client.ts';
import type { WireOutcome } from '../wire.ts';
import { BatchTransportError } from './transport.ts';
import type { BatchFound, BatchTransport, Unanswered } from './transport.ts';

const Made = z.object({ id: z.string().min(1) });
const Batch = z.object({
  id: z.string().min(1),
  status: z.string(),
  output_file_id: z.string().nullish(),
  error_file_id: z.string().nullish(),
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }).nullish(),
  errors: z.object({ data: z.array(z.object({ message: z.string().nullish(), line: z.int().nullish() })).nullish() }).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
type Batch = z.infer<typeof Batch>;
const BatchPage = z.object({ data: z.array(Batch), has_more: z.boolean().nullish() });

const WINDOW = '24h';
/** Under this name of the metadata a batch carries our id, by which a restart finds it again. */
const OUR_ID = 'memcalib_batch';
const PAGE = 100;
const MOST_PAGES = 20;
const OVER: Readonly<Record<string, Unanswered>> = { completed: 'lost', expired: 'expired', cancelled: 'cancelled', failed: 'lost' };

/** The provider's batch API: files and batches routes as OpenAI documents them. Results are kept in `folder` before they are read. */
export function providerTransport(endpoint: ChatEndpoint, folder: string, clock: Clock): BatchTransport {
  const ask = async <T>(what: string, schema: z.ZodType<T>, outcome: Promise<WireOutcome>): Promise<T> =>
    understood(endpoint, clock, what, schema, await outcome);
  const fetchFile = async (batch: BatchRow, kind: string, fileId: string): Promise<string> => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${batch.id}.${kind}.jsonl`);
    const handle = openSync(`${file}.part`, 'w', 0o600);
    try {
      const path = `files/${encodeURIComponent(fileId)}/content`;
      const outcome = await endpoint.download(path, (chunk) => void writeSync(handle, chunk));
      refuseBad(endpoint, clock, `the ${kind} of batch ${batch.id} could not be fetched`, outcome);
    } finally {
      closeSync(handle);
    }
    renameSync(`${file}.part`, file);
    return file;
  };
  const pathOf = (batch: BatchRow): string => `batches/${encodeURIComponent(batch.remoteId ?? '')}`;
  return {
    submit: async (batch, lines) => {
      const { contentType, body } = multipart(`${batch.id}.jsonl`, lines);
      const upload = await ask(`batch ${batch.id} could not be uploaded`, Made, endpoint.post('files', contentType, body));
      const order = {
        input_file_id: upload.id,
        endpoint: '/v1/chat/completions',
        completion_window: WINDOW,
        metadata: { [OUR_ID]: batch.id },
      };
      const made = endpoint.post('batches', 'application/json', JSON.stringify(order));
      return (await ask(`batch ${batch.id} was not taken`, Made, made)).id;
    },
    find: (batch) => find(endpoint, batch, (path) => ask(`batch ${batch.id} could not be looked for`, BatchPage, endpoint.get(path))),
    look: async (batch) => {
      const state = await ask(`batch ${batch.id} could not be looked at`, Batch, endpoint.get(pathOf(batch)));
      const said = progressOf(batch, state);
      const unanswered = OVER[state.status];
      if (unanswered === undefined) return { kind: 'working', said };
      const refusal = refusalOf(state);
      if (refusal !== null) return { kind: 'refused', why: endpoint.secrets.redactMessage(refusal) };
      const files: string[] = [];
      if (state.output_file_id != null) files.push(await fetchFile(batch, 'output', state.output_file_id));
      if (state.error_file_id != null) files.push(await fetchFile(batch, 'errors', state.error_file_id));
      return { kind: 'results', files, final: true, unanswered, said };
    },
    cancel: async (batch) => {
      const before = await ask(`batch ${batch.id} could not be looked at`, Batch, endpoint.get(pathOf(batch)));
      if (OVER[before.status] !== undefined) return { kind: 'over', done: before.request_counts?.completed ?? null };
      const asked = endpoint.post(`${pathOf(batch)}/cancel`, 'application/json', '{}');
      const after = await ask(`batch ${batch.id} could not be cancelled`, Batch, asked);
      return { kind: 'asked', done: (after.request_counts ?? before.request_counts)?.completed ?? null };
    },
  };
}

async function find(
  endpoint: ChatEndpoint,
  batch: BatchRow,
  page: (path: string) => Promise<z.infer<typeof BatchPage>>,
): Promise<BatchFound> {
  let after = '';
  for (let turn = 0; turn < MOST_PAGES; turn++) {
    let listed;
    try {
      listed = await page(`batches?limit=${PAGE}${after}`);
    } catch (error) {
      if (!(error instanceof BatchTransportError) || error.stop === null) throw error;
      const why = `Whether batch ${batch.id} reached ${endpoint.name} is not known, since it lists no batches (${error.message}). Look there for a file ${batch.id}.jsonl; to send it again, type: memcalib resume.`;
      return { kind: 'unknown', why };
    }
    const ours = listed.data.find(({ metadata }) => metadata?.[OUR_ID] === batch.id);
    if (ours !== undefined) return { kind: 'found', remoteId: ours.id };
    const last = listed.data.at(-1);
    if (listed.has_more !== true || last === undefined) break;
    after = `&after=${encodeURIComponent(last.id)}`;
  }
  return { kind: 'absent' };
}

function progressOf(batch: BatchRow, { id, status, request_counts: counts }: Batch): string {
  const done = counts == null ? '' : `, ${counts.completed + counts.failed} of ${counts.total} done`;
  return `batch ${id.slice(0, 64)} of ${batch.role} at ${batch.provider} is ${status.slice(0, 32)}${done}`;
}

/** A batch that failed its validation was not run: there is nothing to read. */
function refusalOf({ status, errors, output_file_id: output, error_file_id: failed }: Batch): string | null {
  if (status !== 'failed' || output != null || failed != null) return null;
  const first = errors?.data?.[0];
  const line = first?.line == null ? '' : `line ${first.line}: `;
  return `${line}${first?.message ?? 'no reason given'}`.slice(0, 300);
}

function multipart(name: string, lines: readonly string[]): { readonly contentType: string; readonly body: Buffer } {
  const boundary = `memcalib-${name.replace(/[^A-Za-z0-9-]/g, '-').slice(0, 50)}`;
  const field = (head: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
  const body = [
    `${field('name="purpose"')}\r\nbatch\r\n`,
    `${field(`name="file"; filename="${name}"`)}content-type: application/jsonl\r\n\r\n`,
    ...lines,
    `\r\n--${boundary}--\r\n`,
  ];
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(body.map((part) => Buffer.from(part, 'utf8'))) };
}

/** Throws when an answer is no 2xx: a refused key, an empty account or a missing route stops; the rest is tried again later. */
function refuseBad(endpoint: ChatEndpoint, clock: Clock, what: string, outcome: WireOutcome): string {
  if ('failure' in outcome) throw new BatchTransportError(`${sentence(what)} (${classifyTransport(outcome.failure).message ?? ''})`);
  const { reply } = outcome;
  if (reply.status >= 200 && reply.status <= 299) return reply.body;
  const answer = classify(reply, clock.now());
  const detail = endpoint.secrets.redactMessage(`${sentence(what)} by ${endpoint.name}: ${answer.message ?? `HTTP ${reply.status}`}`);
  const goesOn = answer.class === 'rate_limited' || answer.class === 'server_error' || answer.class === 'timeout';
  throw new BatchTransportError(detail, goesOn ? null : { reason: answer.class, detail, until: answer.until }, answer.retryAfterMs);
}

function understood<T>(endpoint: ChatEndpoint, clock: Clock, what: string, schema: z.ZodType<T>, outcome: WireOutcome): T {
  const body = refuseBad(endpoint, clock, what, outcome);
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    json = undefined;
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new BatchTransportError(`${sentence(what)}: the answer of ${endpoint.name} is not the one its batch API documents.`);
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
