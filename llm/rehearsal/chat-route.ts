import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashOf, seededUniforms } from '../../schemas/hash.ts';
import type { Completed } from './completion.ts';
import { complete, tokensOf } from './completion.ts';
import { sendFault } from './fault-wire.ts';
import type { FaultDice, FaultName, FaultTarget } from './faults.ts';
import { ChatRequest, RequestError, conversation } from './request.ts';
import type { StatsCounter } from './stats.ts';

/** What the chat route needs of its server. */
export interface ChatDesk {
  readonly seed: string;
  readonly models: readonly string[];
  readonly latencyMs: number;
  readonly jitterMs: number;
  readonly dice: FaultDice | null;
  readonly stats: StatsCounter;
  readonly onFault?: (fault: FaultName, target: FaultTarget) => void;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new RequestError(413, 'body_too_large', `The request body is larger than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseRequest(raw: string, models: readonly string[]): ChatRequest {
  let json: unknown;
  try {
    json = JSON.parse(raw) as unknown;
  } catch (cause) {
    throw new RequestError(400, 'invalid_json', `The request body is not JSON (${cause instanceof Error ? cause.message : 'unreadable'}).`);
  }
  const parsed = ChatRequest.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new RequestError(
      400,
      'invalid_request',
      `The field ${issue?.path.join('.') ?? ''} of the request is wrong: ${issue?.message ?? 'unknown problem'}.`,
    );
  }
  if (parsed.data.stream === true)
    throw new RequestError(400, 'unsupported', 'The rehearsal model does not stream; send the request without stream.');
  if ((parsed.data.n ?? 1) !== 1)
    throw new RequestError(400, 'unsupported', 'The rehearsal model gives one choice; send the request without n.');
  if (!models.includes(parsed.data.model)) {
    throw new RequestError(
      404,
      'model_not_found',
      `The model ${parsed.data.model} does not exist here; the rehearsal server has ${models.join(', ')}.`,
    );
  }
  return parsed.data;
}

/** Names a request whatever its cap and its repair turns, so that a fault is bounded per question asked. */
export function identityOf(request: ChatRequest): string {
  return hashOf([request.model, conversation(request)[0]?.content ?? '', request.seed ?? null]);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function send(response: ServerResponse, desk: ChatDesk, request: ChatRequest, completed: Completed): Promise<void> {
  const target = { task: completed.task, model: request.model, identity: identityOf(request) };
  const rule = desk.dice?.strike(target) ?? null;
  if (rule !== null) desk.onFault?.(rule.fault, target);
  desk.stats.outcome(rule?.fault ?? null);
  if (rule === null) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completed.completion));
  else await sendFault(response, rule, completed.completion);
}

function delayMs({ seed, latencyMs, jitterMs, stats }: ChatDesk): number {
  if (jitterMs === 0) return latencyMs;
  return latencyMs + Math.round(jitterMs * seededUniforms(`${seed} jitter ${stats.snapshot().calls}`)());
}

/** `POST /v1/chat/completions`: reads, answers from the request alone, waits the latency, and lets the dice decide about faults. */
export async function handleChat(incoming: IncomingMessage, response: ServerResponse, desk: ChatDesk): Promise<void> {
  const arrivedAt = Date.now();
  const raw = await readBody(incoming);
  const request = parseRequest(raw, desk.models);
  const end = desk.stats.begin(request.model, tokensOf(raw), arrivedAt);
  response.once('close', end);
  const completed = complete(request, raw, desk.seed);
  const isRepair = completed.rehearsed !== null && completed.rehearsed.turn !== 'first';
  desk.stats.task(completed.task, isRepair, completed.rehearsed?.imperfection?.name ?? null);
  const left = delayMs(desk) - (Date.now() - arrivedAt);
  if (left > 0) await pause(left);
  await send(response, desk, request, completed);
}
