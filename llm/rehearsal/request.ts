import { z } from 'zod';
import type { Asked } from './reply.ts';
import { isRehearsed } from './tasks.ts';

const Content = z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().nullish() }))]).nullish();

/** The fields of a chat completion request that the rehearsal model reads; vendor fields pass unread. */
export const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: Content })).min(1),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  seed: z.number().nullish(),
  stream: z.boolean().nullish(),
  n: z.number().nullish(),
  response_format: z.object({ type: z.string(), json_schema: z.object({ schema: z.unknown() }).nullish() }).nullish(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** A request that cannot be answered, with what the client is told. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

function textOf(content: z.infer<typeof Content>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Conversation of a request in order, system messages left out. */
export function conversation(request: ChatRequest): readonly { readonly role: string; readonly content: string }[] {
  return request.messages
    .filter(({ role }) => role !== 'system' && role !== 'developer')
    .map(({ role, content }) => ({ role, content: textOf(content) }));
}

/** Which step a conversation asks for; null when its first user message is no step payload at all (a probe). */
export function readAsked(request: ChatRequest): Asked | null {
  const turns = conversation(request);
  const user = turns.find(({ role }) => role === 'user');
  const payload = user === undefined ? undefined : parsed(user.content);
  if (payload === null || typeof payload !== 'object' || !('task' in payload)) return null;
  const { task } = payload;
  if (!isRehearsed(task))
    throw new RequestError(
      400,
      'unknown_task',
      `The rehearsal model knows no task ${JSON.stringify(task)}; it answers the nine steps of dataset construction and the judging of answers only.`,
    );
  const at = turns.findIndex(({ role }) => role === 'assistant');
  const reply = turns[at];
  const problems = turns.slice(at + 1).find(({ role }) => role === 'user');
  if (at < 0 || reply === undefined || problems === undefined) return { task, payload, repair: null };
  return { task, payload, repair: { reply: reply.content, problems: problems.content } };
}
