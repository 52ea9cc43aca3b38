import { z } from 'zod';
import type { CallOutcome, CallRequest, LedgerStore, ModelClient, Sampling, StoredAttempt } from '../schemas/ledger.ts';
import type { CallRole } from '../schemas/steps.ts';
import { ModelClientError } from './client-error.ts';
import type { Clock } from './clock.ts';
import { ModelCard, contextLengthOf } from './model-card.ts';
import { callKey } from './key.ts';
import type { ChatEndpoint } from './openai-client.ts';
import { parseReply, stripReasoning } from './reply-parser.ts';
import { responseFormatFor, STRUCTURED_OUTPUT_MODES } from './structured-output.ts';
import type { StructuredOutputMode } from './structured-output.ts';

/** What is known of one (endpoint, model) and since when; the caller keeps it as a project fact. */
export interface EndpointFacts {
  readonly provider: string;
  readonly model: string;
  readonly probedAt: number;
  readonly reachable: boolean;
  /** Null when the endpoint did not say. */
  readonly keyAccepted: boolean | null;
  /** Whether the endpoint lists the model or answered for it; null when neither is known. */
  readonly modelKnown: boolean | null;
  /** The best rung that worked; null when none did. */
  readonly structuredOutput: StructuredOutputMode | null;
  /** Said aloud when the best rung is not `json_schema`. */
  readonly downgrade: string | null;
  /** Whether replies come without hidden or tagged reasoning; null when unknown. */
  readonly thinkingOff: boolean | null;
  readonly contextLength: number | null;
  readonly latencyMs: number | null;
  readonly returnedModel: string | null;
  readonly fingerprint: string | null;
  readonly problem: string | null;
}

/** What to probe with. `client` should have a gate of its own, so that a refused key closes no run. */
export interface ProbeOptions {
  readonly endpoint: ChatEndpoint;
  readonly client: ModelClient;
  readonly ledger: LedgerStore;
  readonly clock: Clock;
  readonly provider: string;
  readonly model: string;
  readonly role: CallRole;
  readonly sampling: Sampling;
  readonly runId: string;
}

const PROBE_TOKENS = 1024;
/** Nothing in the prompt names this field or value, so a reply that has them obeyed the schema. */
const Enforced = z.strictObject({ weather_code: z.enum(['kestrel']) });
const Any = z.record(z.string(), z.json());

/** Asks an endpoint what it can do: the model list, then the ladder json_schema → json_object → text. Every call is in the ledger. */
export async function probeEndpoint(options: ProbeOptions): Promise<EndpointFacts> {
  const probedAt = options.clock.now();
  const card = await readModelCard(options);
  const found: { mode: StructuredOutputMode; text: string; attempt: StoredAttempt | undefined }[] = [];
  let problem = card.problem;
  let refusal: StoredAttempt | undefined;
  for (const mode of card.reachable ? STRUCTURED_OUTPUT_MODES : []) {
    const request = probeRequest(options, mode, probedAt);
    const outcome = await ask(options.client, request, mode);
    if (outcome.kind === 'reply') {
      found.push({ mode, text: outcome.text, attempt: (await options.ledger.attempts([request.key])).get(request.key)?.at(-1) });
      break;
    }
    refusal = (await options.ledger.attempts([request.key])).get(request.key)?.at(-1) ?? refusal;
    problem = problemOf(outcome, refusal) ?? problem;
    if (outcome.kind === 'paused' || (outcome.kind === 'failed' && outcome.class !== 'config_error')) break;
  }
  const best = found[0];
  return {
    provider: options.provider,
    model: options.model,
    probedAt,
    reachable: card.reachable,
    keyAccepted: best !== undefined ? true : KEY_REFUSED.has(refusal?.finishReason ?? '') ? false : card.keyAccepted,
    modelKnown: best !== undefined ? true : isUnknownModel(refusal) ? false : card.listed,
    structuredOutput: best?.mode ?? null,
    downgrade: best === undefined || best.mode === 'json_schema' ? null : downgradeSentence(options, best.mode),
    thinkingOff: best === undefined ? null : withoutThinking(best.text, best.attempt?.usage?.output ?? 0),
    contextLength: card.contextLength,
    latencyMs: best?.attempt?.latencyMs ?? null,
    returnedModel: best?.attempt?.returnedModel ?? null,
    fingerprint: best?.attempt?.fingerprint ?? null,
    problem: best === undefined ? problem : null,
  };
}

/** One call; a client that gives up waiting is an endpoint that gave no answer. */
async function ask(client: ModelClient, request: CallRequest, mode: StructuredOutputMode): Promise<CallOutcome> {
  try {
    return await client.call(request, (text) =>
      works(mode, text) ? { ok: true } : { ok: false, class: 'schema_mismatch', rule: 'probe', path: '' },
    );
  } catch (error) {
    if (!(error instanceof ModelClientError) || error.code !== 'cancelled') throw error;
    return { kind: 'failed', class: 'timeout', message: 'No usable answer came in the time given.' };
  }
}

function probeRequest(options: ProbeOptions, mode: StructuredOutputMode, probedAt: number): CallRequest {
  const question =
    mode === 'json_schema'
      ? 'What is the weather like?'
      : 'Reply with one JSON object and nothing else: a JSON object with the key "sum" holding 17 + 25.';
  const content = {
    provider: options.provider,
    model: options.model,
    messages: [{ role: 'user' as const, content: question }],
    sampling: options.sampling,
    responseFormat: responseFormatFor(mode, 'probe', Enforced).responseFormat,
    sampleIndex: probedAt,
  };
  const { runId, role } = options;
  return {
    ...content,
    key: callKey(content),
    maxTokens: PROBE_TOKENS,
    runId,
    role,
    step: 'probe',
    partId: mode,
    candidateId: '',
    turn: 'first',
  };
}

function works(mode: StructuredOutputMode, text: string): boolean {
  if (mode === 'json_schema') return parseReply(text, Enforced).ok;
  return mode === 'text' || parseReply(text, Any).ok;
}

/** More tokens than characters were billed only if something was thought and not shown. */
function withoutThinking(text: string, outputTokens: number): boolean {
  return stripReasoning(text) === text.trim() && outputTokens <= text.length + 32;
}

/** What the last attempt was told says more than the pause it led to. */
function problemOf(outcome: CallOutcome, attempt: StoredAttempt | undefined): string | null {
  if (outcome.kind === 'failed') return outcome.message;
  return outcome.kind === 'paused' ? (attempt?.message ?? `paused: ${outcome.reason}`) : null;
}

const KEY_REFUSED: ReadonlySet<string> = new Set(['http_401', 'http_403']);

function isUnknownModel(attempt: StoredAttempt | undefined): boolean {
  const note = attempt?.finishReason ?? '';
  return note === 'model_unknown' || (note === 'http_404' && /model/i.test(attempt?.message ?? ''));
}

function downgradeSentence(options: ProbeOptions, mode: StructuredOutputMode): string {
  const instead = mode === 'json_object' ? 'JSON mode with the schema in the prompt' : 'the schema in the prompt alone';
  return `${options.model} at ${options.provider} does not enforce JSON schemas; ${instead} is used, and more replies will need repair.`;
}

async function readModelCard(options: ProbeOptions): Promise<{
  readonly reachable: boolean;
  readonly keyAccepted: boolean | null;
  readonly contextLength: number | null;
  readonly listed: boolean | null;
  readonly problem: string | null;
}> {
  const outcome = await options.endpoint.get('models');
  if ('failure' in outcome) {
    const problem = `${options.endpoint.host} cannot be reached (${outcome.failure.kind}: ${outcome.failure.detail}).`;
    return { reachable: false, keyAccepted: null, contextLength: null, listed: null, problem };
  }
  const { status, body } = outcome.reply;
  if (status === 401 || status === 403)
    return {
      reachable: true,
      keyAccepted: false,
      contextLength: null,
      listed: null,
      problem: `HTTP ${status} on the model list: the key is missing or not accepted.`,
    };
  const card = ModelCard.safeParse(safeJson(body));
  const models = card.data?.data ?? [];
  const own = models.find(({ id }) => id === options.model);
  const listed = status === 200 && models.length > 0 ? own !== undefined : null;
  const problem = listed === false ? `The endpoint does not list a model ${options.model}.` : null;
  return {
    reachable: true,
    // A list that is no list (a page, say) was not answered by the API the key is for.
    keyAccepted: status === 200 && card.success ? true : null,
    contextLength: own === undefined ? null : contextLengthOf(own),
    listed,
    problem,
  };
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
