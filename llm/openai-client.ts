import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { CallContent } from '../schemas/ledger.ts';
import type { Clock } from './clock.ts';
import { checkEndpoint } from './endpoint-rules.ts';
import { exchange } from './http-exchange.ts';
import type { Exchange } from './http-exchange.ts';
import { requestBody } from './request-body.ts';
import type { MaxTokensField } from './request-body.ts';
import { secretsOf } from './secrets.ts';
import type { Secrets } from './secrets.ts';
import type { WireOutcome } from './wire.ts';

/** Where and how an OpenAI-compatible endpoint is reached. The key is a value here and goes nowhere but into one header. */
export interface EndpointOptions {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Default: `max_completion_tokens` at api.openai.com and Azure, else `max_tokens`. */
  readonly maxTokensField?: MaxTokensField;
  /** Largest reply body taken in; default 16 MiB. */
  readonly maxBodyBytes?: number;
}

/** An endpoint that answers chat completions. It never throws for what a provider does, and never retries. */
export interface ChatEndpoint {
  readonly name: string;
  readonly host: string;
  readonly local: boolean;
  readonly notice: string | null;
  readonly secrets: Secrets;
  complete(content: CallContent, maxTokens: number): Promise<WireOutcome>;
  /** The JSON body `complete` would send, for batches. */
  body(content: CallContent, maxTokens: number): string;
  /** GET of a path below the base URL, for probes (`models`) and batches. */
  get(path: string): Promise<WireOutcome>;
  /** POST of a body of any type to a path below the base URL. */
  post(path: string, contentType: string, body: string | Buffer): Promise<WireOutcome>;
  /** GET whose body goes to `sink` piece by piece, up to 2 GiB. */
  download(path: string, sink: (chunk: Buffer) => void): Promise<WireOutcome>;
  close(): void;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_DOWNLOAD_BYTES = 2 * 1024 * 1024 * 1024;

/** Opens an endpoint with kept-alive connections; refuses bad base URLs (EndpointError). TLS is always verified. */
export function createEndpoint(options: EndpointOptions): ChatEndpoint {
  const key = options.apiKey === '' ? undefined : options.apiKey;
  const { url, local, notice } = checkEndpoint(options.name, options.baseUrl, key !== undefined);
  const base = new URL(url.pathname.endsWith('/') ? url : new URL(`${url.pathname}/${url.search}`, url));
  const agent = url.protocol === 'https:' ? new TlsAgent({ keepAlive: true, rejectUnauthorized: true }) : new Agent({ keepAlive: true });
  const maxTokensField = options.maxTokensField ?? defaultMaxTokensField(url.hostname);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'memcalib',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const send = (path: string, body: string | Buffer | null, over: Partial<Exchange> = {}): Promise<WireOutcome> => {
    const target = new URL(path, base);
    for (const [name, value] of base.searchParams) target.searchParams.set(name, value);
    const { timeoutMs, clock, maxBodyBytes = MAX_BODY_BYTES } = options;
    return exchange({ url: target, headers, body, agent, timeoutMs, maxBodyBytes, clock, ...over });
  };
  return {
    name: options.name,
    host: url.host,
    local,
    notice,
    secrets: secretsOf(key === undefined ? [] : [key]),
    complete: (content, maxTokens) => send('chat/completions', requestBody(content, maxTokens, maxTokensField)),
    body: (content, maxTokens) => requestBody(content, maxTokens, maxTokensField),
    get: (path) => send(path, null),
    post: (path, contentType, body) => send(path, body, { headers: { ...headers, 'content-type': contentType } }),
    download: (path, sink) => send(path, null, { sink, maxBodyBytes: MAX_DOWNLOAD_BYTES }),
    close: () => agent.destroy(),
  };
}

function defaultMaxTokensField(hostname: string): MaxTokensField {
  return /(^|\.)(openai\.com|openai\.azure\.com)$/.test(hostname) ? 'max_completion_tokens' : 'max_tokens';
}
