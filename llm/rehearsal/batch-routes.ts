import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { seededUniforms } from '../../schemas/hash.ts';
import { RequestError } from './request.ts';

/** How batches of a rehearsal go. */
export interface BatchBehaviour {
  /** From order to end. */
  readonly delayMs: number;
  /** Share of requests that are answered before the batch expires; 1 lets it complete. */
  readonly answeredShare: number;
}

interface StoredFile {
  readonly name: string;
  readonly text: string;
}

interface StoredBatch {
  readonly id: string;
  readonly inputFileId: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly createdAt: number;
  readonly total: number;
  status: 'in_progress' | 'completed' | 'expired' | 'failed' | 'cancelled';
  completed: number;
  failed: number;
  outputFileId: string | null;
  errorFileId: string | null;
  errors: readonly { readonly line: number; readonly message: string }[];
}

const Order = z.object({
  input_file_id: z.string(),
  endpoint: z.string(),
  completion_window: z.string(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const Line = z.object({ custom_id: z.string(), method: z.literal('POST'), url: z.literal('/v1/chat/completions'), body: z.unknown() });
type Line = z.infer<typeof Line>;

const MOST_UPLOAD_BYTES = 200 * 1024 * 1024;
const AT_ONCE = 16;
const ANSWER_LIMIT_MS = 30_000;

/** The files and batches routes of a rehearsal server. Each line goes through the server's own chat route, so its faults and counts hold. */
export class BatchRoutes {
  readonly #files = new Map<string, StoredFile>();
  readonly #batches = new Map<string, StoredBatch>();
  readonly #seed: string;
  readonly #behaviour: BatchBehaviour;
  #closed = false;

  constructor(seed: string, behaviour: BatchBehaviour) {
    this.#seed = seed;
    this.#behaviour = behaviour;
  }

  /** Answers a request to one of the routes; false when it is for none of them. `chatUrl` is the server's own chat route. */
  async handle(request: IncomingMessage, response: ServerResponse, chatUrl: string): Promise<boolean> {
    const url = new URL(request.url ?? '/', 'http://rehearsal');
    const [kind, id, action] = url.pathname.replace(/^\/v1\//, '').split('/');
    if (kind !== 'files' && kind !== 'batches') return false;
    const of = `${request.method ?? ''} ${kind}${id === undefined ? '' : '/id'}${action === undefined ? '' : `/${action}`}`;
    const ok = (body: unknown): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    switch (of) {
      case 'POST files':
        ok(this.#upload(request.headers['content-type'] ?? '', await readAll(request)));
        return true;
      case 'GET files/id/content':
        response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(this.#file(id ?? '').text);
        return true;
      case 'POST batches':
        ok(view(this.#order((await readAll(request)).toString('utf8'), chatUrl)));
        return true;
      case 'GET batches':
        ok(this.#list(url.searchParams));
        return true;
      case 'GET batches/id':
        ok(view(this.#batch(id ?? '')));
        return true;
      case 'POST batches/id/cancel':
        ok(view(this.#cancel(id ?? '')));
        return true;
      default:
        return false;
    }
  }

  /** Lets no batch go on. */
  close(): void {
    this.#closed = true;
  }

  #upload(contentType: string, body: Buffer): unknown {
    const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
    if (boundary === undefined) throw new RequestError(400, 'invalid_request', 'An upload is multipart/form-data with a boundary.');
    const parts = body.toString('utf8').split(`--${boundary}`);
    const part = (name: string): { readonly head: string; readonly text: string } | null => {
      const found = parts.find((item) => item.includes(`name="${name}"`));
      if (found === undefined) return null;
      const at = found.indexOf('\r\n\r\n');
      return { head: found.slice(0, at), text: found.slice(at + 4).replace(/\r\n$/, '') };
    };
    const [purpose, file] = [part('purpose'), part('file')];
    if (purpose?.text.trim() !== 'batch' || file === null)
      throw new RequestError(400, 'invalid_request', 'An upload needs purpose=batch and a file.');
    const id = `file-${this.#files.size + 1}`;
    const name = /filename="([^"]*)"/.exec(file.head)?.[1] ?? '';
    this.#files.set(id, { name, text: file.text });
    return { id, object: 'file', bytes: Buffer.byteLength(file.text), created_at: seconds(), filename: name, purpose: 'batch' };
  }

  #order(raw: string, chatUrl: string): StoredBatch {
    const parsed = Order.safeParse(safeJson(raw));
    if (!parsed.success || parsed.data.endpoint !== '/v1/chat/completions' || parsed.data.completion_window !== '24h')
      throw new RequestError(
        400,
        'invalid_request',
        'A batch needs input_file_id, endpoint /v1/chat/completions and completion_window 24h.',
      );
    const lines = this.#file(parsed.data.input_file_id)
      .text.split('\n')
      .filter((line) => line.trim() !== '');
    const read = lines.map((line) => Line.safeParse(safeJson(line)));
    const errors = read.flatMap((line, at) => (line.success ? [] : [{ line: at + 1, message: 'The line is no batch request.' }]));
    const ids = read.flatMap((line) => (line.success ? [line.data.custom_id] : []));
    if (new Set(ids).size < ids.length) errors.push({ line: 0, message: 'Two lines have the same custom_id.' });
    const batch: StoredBatch = {
      id: `batch_${this.#batches.size + 1}`,
      inputFileId: parsed.data.input_file_id,
      metadata: parsed.data.metadata ?? null,
      createdAt: seconds(),
      total: lines.length,
      status: errors.length > 0 ? 'failed' : 'in_progress',
      completed: 0,
      failed: 0,
      outputFileId: null,
      errorFileId: null,
      errors,
    };
    this.#batches.set(batch.id, batch);
    const work = read.flatMap((line) => (line.success ? [line.data] : []));
    if (batch.status === 'in_progress') setTimeout(() => void this.#run(batch, work, chatUrl), this.#behaviour.delayMs);
    return batch;
  }

  async #run(batch: StoredBatch, lines: readonly Line[], chatUrl: string): Promise<void> {
    const draw = seededUniforms(this.#seed, 'batch', batch.id);
    const outputs: string[] = [];
    const errors: string[] = [];
    const todo = lines.filter((line) => {
      if (draw() < this.#behaviour.answeredShare) return true;
      const error = { code: 'batch_expired', message: 'This request could not be executed before the completion window expired.' };
      errors.push(JSON.stringify({ id: `req_${line.custom_id}`, custom_id: line.custom_id, response: null, error }));
      return false;
    });
    const expires = errors.length > 0;
    for (let from = 0; from < todo.length && !this.#closed; from += AT_ONCE) {
      const answers = await Promise.all(todo.slice(from, from + AT_ONCE).map((line) => answer(line, chatUrl)));
      for (const { ok, text } of answers) (ok ? outputs : errors).push(text);
    }
    if (this.#closed || batch.status !== 'in_progress') return;
    // Answers of a batch come in no order of their own.
    outputs.reverse();
    batch.completed = outputs.length;
    batch.failed = errors.length;
    batch.outputFileId = this.#keep(`${batch.id}_output.jsonl`, outputs);
    batch.errorFileId = this.#keep(`${batch.id}_error.jsonl`, errors);
    batch.status = expires ? 'expired' : 'completed';
  }

  #keep(name: string, lines: readonly string[]): string | null {
    if (lines.length === 0) return null;
    const id = `file-${this.#files.size + 1}`;
    this.#files.set(id, { name, text: `${lines.join('\n')}\n` });
    return id;
  }

  #list(search: URLSearchParams): unknown {
    const newest = [...this.#batches.values()].reverse();
    const after = search.get('after');
    const from = after === null ? 0 : newest.findIndex(({ id }) => id === after) + 1;
    const page = newest.slice(from, from + Number(search.get('limit') ?? 20));
    return { object: 'list', data: page.map((batch) => view(batch)), has_more: from + page.length < newest.length };
  }

  #cancel(id: string): StoredBatch {
    const batch = this.#batch(id);
    if (batch.status === 'in_progress') batch.status = 'cancelled';
    return batch;
  }

  #file(id: string): StoredFile {
    const file = this.#files.get(id);
    if (file === undefined) throw new RequestError(404, 'not_found', `There is no file ${id.slice(0, 60)}.`);
    return file;
  }

  #batch(id: string): StoredBatch {
    const batch = this.#batches.get(id);
    if (batch === undefined) throw new RequestError(404, 'not_found', `There is no batch ${id.slice(0, 60)}.`);
    return batch;
  }
}

/** One request of a batch, asked at the server's own chat route as a client would. */
async function answer({ custom_id: customId, body }: Line, chatUrl: string): Promise<{ readonly ok: boolean; readonly text: string }> {
  const head = { id: `req_${customId}`, custom_id: customId };
  try {
    const reply = await fetch(chatUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const text = await reply.text();
    const response = { status_code: reply.status, request_id: reply.headers.get('x-request-id') ?? '', body: safeJson(text) ?? text };
    return { ok: reply.ok, text: JSON.stringify({ ...head, response, error: null }) };
  } catch {
    const error = { code: 'server_error', message: 'The request could not be executed.' };
    return { ok: false, text: JSON.stringify({ ...head, response: null, error }) };
  }
}

function view(batch: StoredBatch): unknown {
  return {
    id: batch.id,
    object: 'batch',
    endpoint: '/v1/chat/completions',
    errors: batch.errors.length === 0 ? null : { object: 'list', data: batch.errors },
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: batch.status,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    created_at: batch.createdAt,
    request_counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
    metadata: batch.metadata,
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MOST_UPLOAD_BYTES) throw new RequestError(413, 'body_too_large', `An upload is at most ${MOST_UPLOAD_BYTES} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, size);
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const seconds = (): number => Math.floor(Date.now() / 1000);
