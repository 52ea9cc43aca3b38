import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { CallContent } from '../schemas/ledger.ts';
import type { Clock } from './clock.ts';
import { checkEndpoint } from './endpoint-rules.ts';
import { exchange } from './http-exchange.ts';
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
  /** GET of a path below the base URL, for probes (`models`). */
  get(path: string): Promise<WireOutcome>;
  close(): void;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

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
  const send = (path: string, body: string | null): Promise<WireOutcome> => {
    const target = new URL(path, base);
    target.search = base.search;
    const { timeoutMs, clock, maxBodyBytes = MAX_BODY_BYTES } = options;
    return exchange({ url: target, headers, body, agent, timeoutMs, maxBodyBytes, clock });
  };
  return {
    name: options.name,
    host: url.host,
    local,
    notice,
    secrets: secretsOf(key === undefined ? [] : [key]),
    complete: (content, maxTokens) => send('chat/completions', requestBody(content, maxTokens, maxTokensField)),
    get: (path) => send(path, null),
    close: () => agent.destroy(),
  };
}

function defaultMaxTokensField(hostname: string): MaxTokensField {
  return /(^|\.)(openai\.com|openai\.azure\.com)$/.test(hostname) ? 'max_completion_tokens' : 'max_tokens';
}
