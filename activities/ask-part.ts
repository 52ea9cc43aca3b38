import type { z } from 'zod';
import { callKey } from '../llm/key.ts';
import { parseReply } from '../llm/reply-parser.ts';
import { buildMessages } from '../prompts/messages.ts';
import type { RepairTurn } from '../prompts/messages.ts';
import type { CallClass, CallOutcome, CallRequest, ReplyValidator } from '../schemas/ledger.ts';
import type { PartRequest } from '../stages/step.ts';
import type { PreparedStep, RunContext } from './run-context.ts';

/** Where a part stands: its latest reply, how it was come by, and the ledger keys used so far. */
export interface PartState {
  readonly part: PartRequest;
  reply: unknown;
  replyText: string;
  repaired: boolean;
  sampleIndex: number;
  /** A reviewer is asked for so many samples at most; each retry of a candidate that got no verdict adds as many. */
  readonly maxSamples: number;
  readonly callKeys: string[];
}

/** What asking a part led to. */
export type PartResult =
  | { readonly kind: 'reply' }
  | { readonly kind: 'failed'; readonly class: CallClass; readonly message: string }
  /** The part waits for a batch; it is asked again once that has been answered. */
  | { readonly kind: 'batched' }
  | { readonly kind: 'paused'; readonly reason: string; readonly until: number | null };

/** A reviewer is asked for another sample at most twice (SPEC §4.6). */
export const MAX_SAMPLES = 3;

/** A part that was not asked yet. */
export function newPart(part: PartRequest, maxSamples: number = MAX_SAMPLES): PartState {
  return { part, reply: undefined, replyText: '', repaired: false, sampleIndex: 0, maxSamples, callKeys: [] };
}

/** A part asked again gets the next seed: at temperature 0 the same request would bring the same reply. */
function requestOf(run: RunContext, step: PreparedStep, candidateId: string, state: PartState, repair: RepairTurn | null): CallRequest {
  const binding = step.bindingOf(state.part.partId);
  const { responseFormat, schemaInPrompt } = step.formatOf(binding);
  const messages = buildMessages(step.instructions, state.part.payload, {
    ...(schemaInPrompt !== null && { schemaInPrompt }),
    ...(repair !== null && { repair }),
  });
  const content = {
    provider: binding.provider,
    model: binding.model,
    messages,
    sampling: state.sampleIndex === 0 ? binding.sampling : { ...binding.sampling, seed: (binding.sampling.seed ?? 0) + state.sampleIndex },
    responseFormat,
    sampleIndex: state.sampleIndex,
  };
  return {
    ...content,
    key: callKey(content),
    maxTokens: Math.ceil((state.part.maxTokens ?? step.maxTokens) * binding.maxTokensFactor),
    runId: run.runId,
    step: step.definition.id,
    partId: state.part.partId,
    candidateId,
    role: binding.role,
    turn: repair === null ? 'first' : 'repair',
  };
}

/** What decides about replies of a step before they are written, also those that come back in a batch. */
export function validatorOf(step: PreparedStep): ReplyValidator {
  const schema: z.ZodType = step.definition.replySchema;
  return (text) => {
    const parsed = parseReply(text, schema);
    return parsed.ok ? { ok: true } : { ok: false, class: parsed.class, rule: parsed.rule, path: parsed.path };
  };
}

async function send(run: RunContext, step: PreparedStep, request: CallRequest, state: PartState): Promise<CallOutcome> {
  const closed = run.closed();
  if (closed !== null) return { kind: 'paused', ...closed };
  const schema: z.ZodType = step.definition.replySchema;
  state.callKeys.push(request.key);
  let seen: { readonly text: string; readonly parsed: ReturnType<typeof parseReply> } | null = null;
  const read = (text: string): ReturnType<typeof parseReply> => {
    if (seen?.text !== text) seen = { text, parsed: parseReply(text, schema) };
    return seen.parsed;
  };
  const outcome = await run.client.call(request, (text) => {
    const parsed = read(text);
    return parsed.ok ? { ok: true } : { ok: false, class: parsed.class, rule: parsed.rule, path: parsed.path };
  });
  if (outcome.kind === 'reply') {
    const parsed = read(outcome.text);
    if (!parsed.ok)
      return { kind: 'invalid', class: parsed.class, text: outcome.text, rule: parsed.rule, path: parsed.path, served: outcome.served };
    state.reply = parsed.value;
    state.replyText = outcome.text;
  }
  return outcome;
}

/** Asks a part again with the problems of its last reply named: its one repair turn. */
export async function repairPart(
  run: RunContext,
  step: PreparedStep,
  candidateId: string,
  state: PartState,
  notes: RepairTurn['notes'],
): Promise<PartResult> {
  state.repaired = true;
  const request = requestOf(run, step, candidateId, state, { reply: state.replyText, notes });
  const outcome = await send(run, step, request, state);
  if (outcome.kind === 'invalid')
    return {
      kind: 'failed',
      class: outcome.class,
      message: `the repaired reply breaks ${outcome.rule} at ${outcome.path === '' ? 'the top' : outcome.path}`,
    };
  return outcome.kind === 'reply' ? { kind: 'reply' } : outcome;
}

/** Asks a part. A whole but unusable reply is repaired once (builder) or asked again as the next sample (reviewers). */
export async function askPart(run: RunContext, step: PreparedStep, candidateId: string, state: PartState): Promise<PartResult> {
  const outcome = await send(run, step, requestOf(run, step, candidateId, state, null), state);
  if (outcome.kind === 'reply') return { kind: 'reply' };
  if (outcome.kind !== 'invalid') return outcome;
  if (step.bindingOf(state.part.partId).role !== 'builder') {
    if (state.sampleIndex >= state.maxSamples - 1)
      return {
        kind: 'failed',
        class: outcome.class,
        message: `no verdict: the last of ${state.maxSamples} replies of ${state.part.partId} could not be read (${outcome.rule})`,
      };
    state.sampleIndex += 1;
    return askPart(run, step, candidateId, state);
  }
  state.replyText = outcome.text;
  return repairPart(run, step, candidateId, state, [
    { rule: outcome.rule, path: outcome.path, message: `The reply breaks the rule ${outcome.rule}.` },
  ]);
}
