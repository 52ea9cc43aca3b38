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

function refusalOf(rule: FaultRule): Refusal | null {
  const limited = { message: 'Rate limit reached for requests per minute.', type: 'requests', param: null, code: 'rate_limit_exceeded' };
  switch (rule.fault) {
    case 'rate_limited':
      return { status: 429, error: limited };
    case 'rate_limited_retry_after':
      return { status: 429, headers: { 'retry-after': String(rule.retryAfterSeconds ?? 1) }, error: limited };
    case 'daily_quota': {
      const seconds = String(rule.retryAfterSeconds ?? 3600);
      const message = `Rate limit reached for requests per day (RPD): Limit 200, Used 200. Please try again in ${seconds}s.`;
      return {
        status: 429,
        headers: { 'retry-after': seconds },
        error: { message, type: 'requests', param: null, code: 'rate_limit_exceeded' },
      };
    }
    case 'no_credit':
      return {
        status: 429,
        error: {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          type: 'insufficient_quota',
          param: null,
          code: 'insufficient_quota',
        },
      };
    case 'server_error':
      return {
        status: 500,
        error: { message: 'The server had an error while processing your request.', type: 'server_error', param: null, code: null },
      };
    default:
      return null;
  }
}

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

/** The completion as a fault of content, finish reason or name leaves it. */
function faulted(fault: FaultName, completion: Completion): Completion {
  const content = completion.choices[0].message.content ?? '';
  switch (fault) {
    case 'truncation':
      return withMessage(completion, { content: content.slice(0, Math.floor(content.length * 0.6)) }, 'length');
    case 'reasoning_content':
      return withMessage(completion, { content: '', reasoning_content: `I should reply with the object.\n${content}` });
    case 'refusal':
      return withMessage(completion, { content: null, refusal: "I'm sorry, I can't help with that." });
    case 'content_filter':
      return withMessage(completion, { content: '' }, 'content_filter');
    case 'renamed_model':
      return { ...completion, model: `${completion.model}-2`, system_fingerprint: 'fp_rehearsal_2' };
    default: {
      const spoiled = spoiledContent(fault, content);
      return spoiled === null ? completion : withMessage(completion, { content: spoiled });
    }
  }
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

/** Sends what a fault makes of a completion. `hang` answers nothing and leaves the socket open until the client or the server closes. */
export async function sendFault(response: ServerResponse, rule: FaultRule, completion: Completion): Promise<void> {
  const refusal = refusalOf(rule);
  if (refusal !== null) {
    response.writeHead(refusal.status, { ...JSON_TYPE, ...refusal.headers }).end(JSON.stringify({ error: refusal.error }));
    return;
  }
  const body = JSON.stringify(faulted(rule.fault, completion));
  switch (rule.fault) {
    case 'hang':
      return;
    case 'reset':
      response.writeHead(200, { ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) });
      response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy());
      return;
    case 'html':
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><html><head><title>Gateway</title></head><body><h1>Please sign in</h1></body></html>');
      return;
    case 'error_in_200':
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ error: { message: 'Upstream provider is overloaded.', code: 502 } }));
      return;
    case 'clock_skew':
      response.writeHead(200, { ...JSON_TYPE, date: new Date(Date.now() + DAY_MS).toUTCString() }).end(body);
      return;
    case 'slow_drip':
      await drip(response, body, rule.durationMs ?? 1500);
      return;
    default:
      response.writeHead(200, JSON_TYPE).end(body);
  }
}
