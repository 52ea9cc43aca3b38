import { callKey } from '../llm/key.ts';
import { parseReply } from '../llm/reply-parser.ts';
import { buildMessages } from '../prompts/messages.ts';
import type { RepairTurn } from '../prompts/messages.ts';
import type { JsonObject } from '../schemas/json.ts';
import { JudgeReply } from '../schemas/judging.ts';
import type { JudgeStatus, JudgmentEntry, RolloutLine } from '../schemas/judging.ts';
import type { CallClass, CallRequest, LedgerStore, ModelClient, ResponseFormat } from '../schemas/ledger.ts';
import { invalidEntry, judgedEntry } from '../stages/judge/entry.ts';
import { JUDGE_MAX_TOKENS, judgePayload } from '../stages/judge/payload.ts';
import { isSoft, judgeFaults, readingFault } from '../stages/judge/rules.ts';
import type { JudgeFault } from '../stages/judge/rules.ts';
import type { RoleBinding } from './run-context.ts';

/** A judge ready to be asked; the same judge and the same response make the same ledger keys. */
export interface Judge {
  readonly client: ModelClient;
  readonly ledger: LedgerStore;
  readonly runId: string;
  readonly binding: RoleBinding<'judge'>;
  readonly instructions: string;
  readonly format: { readonly responseFormat: ResponseFormat; readonly schemaInPrompt: JsonObject | null };
  /** When this command began (milliseconds): calls that broke off on the wire before then are sent again. */
  readonly startedAt: number;
}

/** How the judging of one response ended; `flags` are soft rules that an accepted reply breaks. */
export type Judged =
  | { readonly kind: 'judged'; readonly status: JudgeStatus; readonly entry: JudgmentEntry; readonly flags: readonly JudgeFault[] }
  /** The call broke off on the wire to the end of its policy; `again` when it had done so in an earlier command too. */
  | { readonly kind: 'unreached'; readonly class: CallClass; readonly message: string; readonly again: boolean }
  | { readonly kind: 'paused'; readonly reason: string };

/** Ways to fail that say nothing about the response: the judge never answered. */
const ON_THE_WIRE: ReadonlySet<CallClass> = new Set(['network', 'timeout', 'server_error', 'not_a_completion']);

/** A reply that breaks a rule is asked again this often at most (SPEC §7). */
export const MAX_JUDGE_RETRIES = 3;

type Asked =
  | { readonly kind: 'read'; readonly reply: JudgeReply; readonly text: string; readonly faults: readonly JudgeFault[] }
  | { readonly kind: 'broken'; readonly text: string; readonly faults: readonly JudgeFault[] }
  | { readonly kind: 'failed'; readonly class: CallClass; readonly message: string; readonly again: boolean }
  | { readonly kind: 'paused'; readonly reason: string };

/** The request of one turn; every turn is a sample of its own, so that a reply given twice is asked for again and not served. */
export function judgeRequest(judge: Judge, line: RolloutLine, turn: number, repair: RepairTurn | null): CallRequest {
  const { binding, format } = judge;
  const { schemaInPrompt, responseFormat } = format;
  const messages = buildMessages(judge.instructions, judgePayload(line) as unknown as JsonObject, {
    ...(schemaInPrompt !== null && { schemaInPrompt }),
    ...(repair !== null && { repair }),
  });
  const content = {
    provider: binding.provider,
    model: binding.model,
    messages,
    sampling: turn === 0 ? binding.sampling : { ...binding.sampling, seed: (binding.sampling.seed ?? 0) + turn },
    responseFormat,
    sampleIndex: turn,
  };
  return {
    ...content,
    key: callKey(content),
    maxTokens: Math.ceil(JUDGE_MAX_TOKENS * binding.maxTokensFactor),
    runId: judge.runId,
    step: 'judge',
    partId: 'judge',
    candidateId: line.response_id,
    role: 'judge',
    turn: repair === null ? 'first' : 'repair',
  };
}

function read(text: string, line: RolloutLine): Exclude<Asked, { readonly kind: 'failed' | 'paused' }> {
  const parsed = parseReply(text, JudgeReply);
  if (!parsed.ok) return { kind: 'broken', text, faults: [readingFault(parsed)] };
  const faults = judgeFaults(parsed.value, line);
  const hard = faults.filter((fault) => !isSoft(fault));
  return hard.length > 0 ? { kind: 'broken', text, faults: hard } : { kind: 'read', reply: parsed.value, text, faults };
}

/** A call that never got through stays failed in its series; a person who types the command again wants it sent again. */
async function brokeOffEarlier(judge: Judge, key: string, failed: CallClass): Promise<boolean> {
  if (!ON_THE_WIRE.has(failed)) return false;
  const last = (await judge.ledger.attempts([key])).get(key)?.at(-1);
  return (last?.completedAt ?? judge.startedAt) < judge.startedAt;
}

async function ask(judge: Judge, line: RolloutLine, turn: number, repair: RepairTurn | null): Promise<Asked> {
  const request = judgeRequest(judge, line, turn, repair);
  const outcome = await judge.client.call(request, (text) => {
    const found = read(text, line);
    const fault = found.faults[0];
    if (found.kind === 'read' || fault === undefined) return { ok: true };
    return {
      ok: false,
      class: fault.rule === 'J2' || fault.rule === 'J3' ? 'not_json' : 'schema_mismatch',
      rule: fault.rule,
      path: fault.path,
    };
  });
  if (outcome.kind === 'reply' || outcome.kind === 'invalid') return read(outcome.text, line);
  if (outcome.kind === 'paused') return { kind: 'paused', reason: outcome.reason };
  if (outcome.kind === 'batched')
    return { kind: 'paused', reason: 'The call is out in a batch; to take its answers in, type: memcalib build.' };
  if (!(await brokeOffEarlier(judge, request.key, outcome.class))) {
    const series = (await judge.ledger.series([request.key])).get(request.key) ?? 0;
    return { ...outcome, again: series > 0 };
  }
  await judge.ledger.openSeries([request.key], judge.runId);
  return ask(judge, line, turn, repair);
}

function accepted(line: RolloutLine, found: Extract<Asked, { readonly kind: 'read' }>, turn: number): Judged {
  const clean = turn === 0 ? 'ok' : 'repaired';
  const status = line.finish === 'length' ? 'gen_truncated' : found.faults.length > 0 ? 'ok_flagged' : clean;
  return { kind: 'judged', status, entry: judgedEntry(line, found.reply), flags: found.faults };
}

/** The end of a response without a verdict: masked by the trainer, with its reason. */
export function unjudged(line: RolloutLine, reason: string): Extract<Judged, { readonly kind: 'judged' }> {
  return { kind: 'judged', status: 'unjudged', entry: invalidEntry(line, reason), flags: [] };
}

/**
 * Judges one response: hard rules are asked to be mended up to three times, soft ones once, then the reply is accepted with a flag.
 * A usable reply in hand is never lost to a worse one that follows.
 */
export async function judgeResponse(judge: Judge, line: RolloutLine): Promise<Judged> {
  if (line.model_response.trim() === '')
    return { kind: 'judged', status: 'gen_empty', entry: invalidEntry(line, 'empty response'), flags: [] };
  let usable: Extract<Asked, { readonly kind: 'read' }> | null = null;
  let repair: RepairTurn | null = null;
  let why = '';
  for (let turn = 0; turn <= MAX_JUDGE_RETRIES; turn += 1) {
    const found: Asked = await ask(judge, line, turn, repair);
    if (found.kind === 'paused') return found;
    if (found.kind === 'read' && (found.faults.length === 0 || usable !== null)) return accepted(line, found, turn);
    if (usable !== null) return accepted(line, usable, turn);
    if (found.kind === 'failed' && ON_THE_WIRE.has(found.class)) return { ...found, kind: 'unreached' };
    if (found.kind === 'failed') return unjudged(line, `J1 ${found.class}: ${found.message}`);
    if (found.kind === 'read') usable = found;
    repair = { reply: found.text, notes: found.faults };
    why = found.faults.map(({ rule, path }) => `${rule}${path === '' ? '' : ` at ${path}`}`).join(', ');
  }
  return usable === null
    ? unjudged(line, `${MAX_JUDGE_RETRIES + 1} replies broke a rule, the last one ${why}`)
    : accepted(line, usable, MAX_JUDGE_RETRIES);
}
