import type { ServerResponse } from 'node:http';
import type { Completion } from './completion.ts';
import { tokensOf } from './completion.ts';
import { spoiledContent } from './fault-content.ts';
import type { FaultName, FaultRule } from './faults.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const DAY_MS = 86_400_000;

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error: Readonly<Record<string, string | null>>;
}

const PER_MINUTE = { message: 'Rate limit reached for requests per minute.', type: 'requests', param: null, code: 'rate_limit_exceeded' };
const OVERDRAWN = 'You exceeded your current quota, please check your plan and billing details.';

/** Faults that answer with an error status. */
const REFUSALS: Partial<Record<FaultName, (rule: FaultRule) => Refusal>> = {
  rate_limited: () => ({ status: 429, error: PER_MINUTE }),
  rate_limited_retry_after: (rule) => ({ status: 429, headers: { 'retry-after': String(rule.retryAfterSeconds ?? 1) }, error: PER_MINUTE }),
  daily_quota: (rule) => {
    const seconds = String(rule.retryAfterSeconds ?? 3600);
    const message = `Rate limit reached for requests per day (RPD): Limit 200, Used 200. Please try again in ${seconds}s.`;
    return { status: 429, headers: { 'retry-after': seconds }, error: { ...PER_MINUTE, message } };
  },
  no_credit: () => ({ status: 429, error: { message: OVERDRAWN, type: 'insufficient_quota', param: null, code: 'insufficient_quota' } }),
  server_error: () => ({
    status: 500,
    error: { message: 'The server had an error while processing your request.', type: 'server_error', param: null, code: null },
  }),
};

function withMessage(
  completion: Completion,
  message: Partial<Completion['choices'][0]['message']>,
  finish: Completion['choices'][0]['finish_reason'] = 'stop',
): Completion {
  const [choice] = completion.choices;
  const next = { ...choice.message, ...message };
  const written = tokensOf(next.content ?? '') + tokensOf(next.reasoning_content ?? '');
  const usage = { ...completion.usage, completion_tokens: written, total_tokens: completion.usage.prompt_tokens + written };
  return { ...completion, usage, choices: [{ ...choice, message: next, finish_reason: finish }] };
}

/** Faults that change more of a completion than its text. */
const CHANGES: Partial<Record<FaultName, (completion: Completion, content: string) => Completion>> = {
  truncation: (completion, content) => withMessage(completion, { content: content.slice(0, Math.floor(content.length * 0.6)) }, 'length'),
  reasoning_content: (completion, content) =>
    withMessage(completion, { content: '', reasoning_content: `I should reply with the object.\n${content}` }),
  refusal: (completion) => withMessage(completion, { content: null, refusal: "I'm sorry, I can't help with that." }),
  content_filter: (completion) => withMessage(completion, { content: '' }, 'content_filter'),
  renamed_model: (completion) => ({ ...completion, model: `${completion.model}-2`, system_fingerprint: 'fp_rehearsal_2' }),
};

/** The completion as a fault of content, finish reason or name leaves it. */
function faulted(fault: FaultName, completion: Completion): Completion {
  const content = completion.choices[0].message.content ?? '';
  const changed = CHANGES[fault]?.(completion, content);
  if (changed !== undefined) return changed;
  const spoiled = spoiledContent(fault, content);
  return spoiled === null ? completion : withMessage(completion, { content: spoiled });
}

async function drip(response: ServerResponse, body: string, durationMs: number): Promise<void> {
  const pieces = 20;
  const size = Math.ceil(body.length / pieces);
  response.writeHead(200, JSON_TYPE);
  for (let at = 0; at < body.length && !response.destroyed; at += size) {
    response.write(body.slice(at, at + size));
    await new Promise((resolve) => setTimeout(resolve, durationMs / pieces));
  }
  response.end();
}

const PAGE = '<!doctype html><html><head><title>Gateway</title></head><body><h1>Please sign in</h1></body></html>';

/** Faults of the connection and the envelope. */
const SENDERS: Partial<Record<FaultName, (response: ServerResponse, body: string, rule: FaultRule) => void | Promise<void>>> = {
  hang: () => undefined,
  reset: (response, body) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) });
    response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy());
  },
  html: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
  error_in_200: (response) =>
    void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ error: { message: 'Upstream provider is overloaded.', code: 502 } })),
  clock_skew: (response, body) =>
    void response.writeHead(200, { ...JSON_TYPE, date: new Date(Date.now() + DAY_MS).toUTCString() }).end(body),
  slow_drip: (response, body, rule) => drip(response, body, rule.durationMs ?? 1500),
};

/** Sends what a fault makes of a completion. `hang` answers nothing and leaves the socket open until the client or the server closes. */
export async function sendFault(response: ServerResponse, rule: FaultRule, completion: Completion): Promise<void> {
  const refusal = REFUSALS[rule.fault]?.(rule);
  if (refusal !== undefined) {
    response.writeHead(refusal.status, { ...JSON_TYPE, ...refusal.headers }).end(JSON.stringify({ error: refusal.error }));
    return;
  }
  const body = JSON.stringify(faulted(rule.fault, completion));
  const sender = SENDERS[rule.fault];
  if (sender === undefined) response.writeHead(200, JSON_TYPE).end(body);
  else await sender(response, body, rule);
}
