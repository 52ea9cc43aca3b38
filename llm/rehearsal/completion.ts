import { sha256Hex } from '../../schemas/hash.ts';
import type { JsonValue } from '../../schemas/json.ts';
import { plainestValue } from './probe.ts';
import type { RehearsedReply } from './reply.ts';
import { rehearse } from './reply.ts';
import type { ChatRequest } from './request.ts';
import { conversation, readAsked } from './request.ts';

/** The one time stamp of every completion, so that equal requests have equal bytes. */
export const CREATED = 1_767_225_600;
const CHARACTERS_A_TOKEN = 4;

/** A completion in the shape of OpenAI's API. */
export interface Completion {
  readonly id: string;
  readonly object: 'chat.completion';
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
  readonly choices: readonly [
    {
      readonly index: 0;
      readonly message: {
        readonly role: 'assistant';
        readonly content: string | null;
        readonly refusal: string | null;
        readonly reasoning_content?: string;
      };
      readonly logprobs: null;
      readonly finish_reason: 'stop' | 'length' | 'content_filter';
    },
  ];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
  };
}

/** What came of a request: the completion and, for a step, how its reply came about. */
export interface Completed {
  readonly completion: Completion;
  readonly task: string;
  readonly rehearsed: RehearsedReply | null;
}

/** Tokens of a text, estimated from its characters. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}

/** A completion around a content, cut at the cap the request gives. */
export function envelope(request: ChatRequest, raw: string, content: string): Completion {
  const prompt = request.messages.reduce(
    (sum, { content: text }) => sum + 4 + tokensOf(typeof text === 'string' ? text : JSON.stringify(text ?? '')),
    2,
  );
  const cap = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const tooLong = tokensOf(content) > cap;
  const sent = tooLong ? content.slice(0, Math.max(0, Math.floor(cap)) * CHARACTERS_A_TOKEN) : content;
  const written = tokensOf(sent);
  return {
    id: `chatcmpl-${sha256Hex(raw).slice(0, 24)}`,
    object: 'chat.completion',
    created: CREATED,
    model: request.model,
    system_fingerprint: 'fp_rehearsal_1',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: sent, refusal: null },
        logprobs: null,
        finish_reason: tooLong ? 'length' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: written,
      total_tokens: prompt + written,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  };
}

function probeContent(request: ChatRequest): string {
  const format = request.response_format?.type;
  if (format === 'json_schema') return JSON.stringify(plainestValue(request.response_format?.json_schema?.schema as JsonValue | undefined));
  const wantsJson = format === 'json_object' || conversation(request).some(({ content }) => /\bJSON\b/.test(content));
  return wantsJson ? '{"ok":true}' : 'ok';
}

/** Answers a request; `raw` is its body, from which the id is made. In text mode a step's JSON may stand in a fence, as models do. */
export function complete(request: ChatRequest, raw: string, seed: string): Completed {
  const asked = readAsked(request);
  if (asked === null) return { completion: envelope(request, raw, probeContent(request)), task: 'probe', rehearsed: null };
  const rehearsed = rehearse(asked, seed, { parts: [request.model, request.seed ?? null], varies: typeof request.seed === 'number' });
  const json = JSON.stringify(rehearsed.reply);
  const isText = (request.response_format?.type ?? 'text') === 'text';
  const fenced = isText && Number.parseInt(sha256Hex(conversation(request)[0]?.content ?? '').slice(0, 2), 16) % 2 === 0;
  return { completion: envelope(request, raw, fenced ? `\`\`\`json\n${json}\n\`\`\`` : json), task: asked.task, rehearsed };
}
