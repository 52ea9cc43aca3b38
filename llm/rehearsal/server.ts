import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BatchRoutes } from './batch-routes.ts';
import { CREATED } from './completion.ts';
import { handleChat } from './chat-route.ts';
import type { ChatDesk } from './chat-route.ts';
import { FaultDice } from './faults.ts';
import type { FaultName, FaultPlan, FaultTarget } from './faults.ts';
import { RequestError } from './request.ts';
import { StatsCounter } from './stats.ts';
import type { RehearsalStats } from './stats.ts';

/** Models a rehearsal server has when none are named: one builder and two reviewers of different names. */
export const REHEARSAL_MODELS = ['rehearsal', 'rehearsal-a', 'rehearsal-b'] as const;

export interface RehearsalOptions {
  /** 0 or left out: a free one. */
  readonly port?: number;
  readonly host?: '127.0.0.1';
  /** Least time from request to reply. */
  readonly latencyMs?: number;
  /** Most time added to the latency, drawn from the seed and the number of the call: replies overtake one another. */
  readonly jitterMs?: number;
  readonly faults?: FaultPlan;
  /** How long a batch takes from order to end (default: no time). */
  readonly batchDelayMs?: number;
  /** Share of a batch that is answered before it expires (default 1: it completes). */
  readonly batchAnsweredShare?: number;
  /** Decides facts chosen, wording and imperfections; replies are equal for equal seeds. */
  readonly seed?: string;
  readonly models?: readonly string[];
  /** Told of every fault as it strikes. */
  readonly onFault?: (fault: FaultName, target: FaultTarget) => void;
}

/** A running server; `url` is the base URL an OpenAI client takes. */
export interface RehearsalServer {
  readonly url: string;
  readonly port: number;
  stats(): RehearsalStats;
  close(): Promise<void>;
}

/** The rehearsal server could not start; `code` tells why. */
export class RehearsalStartError extends Error {
  override readonly name = 'RehearsalStartError';
  readonly code: 'port_taken' | 'no_listen';
  constructor(code: 'port_taken' | 'no_listen', message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, cause: unknown): void {
  const known =
    cause instanceof RequestError
      ? cause
      : new RequestError(500, 'internal', `The rehearsal model failed: ${cause instanceof Error ? cause.message : String(cause)}.`);
  if (response.headersSent) response.destroy();
  else
    sendJson(response, known.status, {
      error: { message: known.message, type: known.status < 500 ? 'invalid_request_error' : 'server_error', param: null, code: known.code },
    });
}

async function route(request: IncomingMessage, response: ServerResponse, desk: ChatDesk, batches: BatchRoutes): Promise<void> {
  const path = (request.url ?? '/').split('?')[0];
  if (request.method === 'POST' && path === '/v1/chat/completions') return handleChat(request, response, desk);
  if (request.method === 'GET' && path === '/v1/models') {
    return sendJson(response, 200, {
      object: 'list',
      data: desk.models.map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'memcalib-rehearsal' })),
    });
  }
  if (request.method === 'GET' && path === '/stats') return sendJson(response, 200, desk.stats.snapshot());
  if (await batches.handle(request, response, `http://127.0.0.1:${request.socket.localPort ?? 0}/v1/chat/completions`)) return;
  throw new RequestError(
    404,
    'not_found',
    `The rehearsal server has no ${request.method ?? ''} ${path ?? ''}; it has GET /v1/models, POST /v1/chat/completions, /v1/files, /v1/batches and GET /stats.`,
  );
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === 'EADDRINUSE';
      const message = isTaken
        ? `Port ${port} is taken; start the rehearsal server on another one or leave the port out.`
        : `The rehearsal server cannot listen on ${host}:${port} (${cause.message}).`;
      reject(new RehearsalStartError(isTaken ? 'port_taken' : 'no_listen', message, { cause }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

/** Starts an OpenAI-compatible server on loopback that answers the nine steps from each request alone: same request, same bytes. */
export async function startRehearsalServer(options: RehearsalOptions = {}): Promise<RehearsalServer> {
  const stats = new StatsCounter();
  const desk: ChatDesk = {
    seed: options.seed ?? 'rehearsal',
    models: options.models ?? REHEARSAL_MODELS,
    latencyMs: options.latencyMs ?? 0,
    jitterMs: options.jitterMs ?? 0,
    dice: options.faults === undefined ? null : new FaultDice(options.faults),
    stats,
    ...(options.onFault !== undefined && { onFault: options.onFault }),
  };
  const batches = new BatchRoutes(desk.seed, { delayMs: options.batchDelayMs ?? 0, answeredShare: options.batchAnsweredShare ?? 1 });
  const server = createServer((request, response) => {
    route(request, response, desk, batches).catch((cause: unknown) => {
      stats.error();
      sendError(response, cause);
    });
  });
  server.keepAliveTimeout = 60_000;
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, options.port ?? 0, host);
  return {
    url: `http://${host}:${port}/v1`,
    port,
    stats: () => stats.snapshot(),
    close: () =>
      new Promise((resolve) => {
        batches.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
