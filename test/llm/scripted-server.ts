import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { JsonObject } from '../../schemas/json.ts';

/** A request as the server saw it. `seen` counts from 1 over all requests. */
export interface SeenRequest {
  readonly seen: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  readonly at: number;
}

/** What the server does with a request. */
export type Scripted =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | object;
      readonly afterMs?: number;
    }
  | { readonly fault: 'hang' | 'reset' | 'reset_mid_body' }
  | { readonly fault: 'drip'; readonly body: object; readonly everyMs: number };

export interface ScriptedServer {
  readonly baseUrl: string;
  readonly requests: SeenRequest[];
  readonly load: { now: number; most: number };
  script: (request: SeenRequest) => Scripted | undefined;
  close(): Promise<void>;
}

/** A strict loopback server on a free port: a call that the script does not answer makes `close` throw. */
export async function scriptedServer(script: (request: SeenRequest) => Scripted | undefined): Promise<ScriptedServer> {
  const unscripted: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const seen: SeenRequest = {
        seen: self.requests.length + 1,
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : (JSON.parse(text) as JsonObject),
        at: performance.now(),
      };
      self.requests.push(seen);
      self.load.now++;
      self.load.most = Math.max(self.load.most, self.load.now);
      response.on('close', () => self.load.now--);
      const reply = self.script(seen);
      if (reply === undefined) {
        unscripted.push(`${seen.method} ${seen.path}`);
        response.destroy();
      } else play(reply, response);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: ScriptedServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    load: { now: 0, most: 0 },
    script,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      if (unscripted.length > 0) throw new Error(`unscripted calls: ${unscripted.join(', ')}`);
    },
  };
  return self;
}

/** A whole chat completion with the given content. */
export function completion(content: string | null, over: JsonObject & { readonly finish?: string } = {}): { readonly body: object } {
  const { finish = 'stop', message = {}, ...top } = over as { finish?: string; message?: object };
  return {
    body: {
      id: 'c1',
      object: 'chat.completion',
      model: 'served-model',
      system_fingerprint: 'fp_1',
      choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content, ...message } }],
      usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
      ...top,
    },
  };
}

function play(reply: Scripted, response: ServerResponse): void {
  if ('fault' in reply) {
    if (reply.fault === 'reset') response.destroy();
    if (reply.fault === 'reset_mid_body') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write('{"id":"c1","choices":[', () => response.destroy());
    }
    if (reply.fault === 'drip') drip(JSON.stringify(reply.body), reply.everyMs, response);
    return;
  }
  const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  setTimeout(() => {
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(body);
  }, reply.afterMs ?? 0);
}

function drip(text: string, everyMs: number, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) });
  let at = 0;
  const timer = setInterval(() => {
    response.write(text[at++] ?? '');
    if (at >= text.length) response.end();
  }, everyMs);
  response.on('close', () => clearInterval(timer));
}
