import { responseFormatFor } from '../../../llm/structured-output.ts';
import { callKey } from '../../../llm/key.ts';
import { parseReply } from '../../../llm/reply-parser.ts';
import { requestBody } from '../../../llm/request-body.ts';
import { buildMessages } from '../../../prompts/messages.ts';
import type { Candidate } from '../../../schemas/candidate.ts';
import type { Config } from '../../../schemas/config.ts';
import { canonicalJson } from '../../../schemas/hash.ts';
import type { CallContent } from '../../../schemas/ledger.ts';
import type { RunSpec } from '../../../schemas/run-spec.ts';
import { STEPS } from '../../../schemas/steps.ts';
import type { Role, StepId } from '../../../schemas/steps.ts';
import type { Workpiece } from '../../../schemas/workpiece.ts';
import { planOf } from '../../../stages/block-plan.ts';
import { STEP_DEFINITIONS } from '../../../stages/catalog.ts';
import { composeExample } from '../../../stages/compose.ts';
import type { PartReply, PartRequest, StepDefinition } from '../../../stages/step.ts';
import { answer } from './reply-server.ts';

/** A candidate taken from nothing to its end: no store, no ledger, no versions, no hashes of inputs. */
export interface SlowEnd {
  readonly status: 'accepted' | 'rejected' | 'no_verdict';
  readonly reason: string;
  readonly example: string | null;
  readonly query: string | null;
  /** Everything a step was decided from, per step it came to. */
  readonly decidedFrom: ReadonlyMap<StepId, string>;
  /** Every call it made, as ledger keys. */
  readonly calls: ReadonlySet<string>;
}

/** What the oracle is told: config and prompts as they stand. */
export interface SlowWorld {
  readonly config: Config;
  readonly prompts: RunSpec['prompts'];
}

interface Part {
  readonly request: PartRequest;
  sample: number;
  repaired: boolean;
  reply: unknown;
  text: string;
}

interface Unread {
  readonly rule: string;
  readonly path: string;
}

class SlowStep {
  private readonly world: SlowWorld;
  private readonly definition: StepDefinition;
  private readonly calls: Set<string>;

  constructor(world: SlowWorld, definition: StepDefinition, calls: Set<string>) {
    this.world = world;
    this.definition = definition;
    this.calls = calls;
  }

  private roleOf(partId: string): Role {
    if (this.definition.stage !== 'quality') return 'builder';
    return partId === 'reviewerB' ? 'reviewerB' : 'reviewerA';
  }

  /** The content of a call, put together from config, prompt and payload. */
  content(part: Part, notes: readonly { rule: string; path: string; message: string }[] | null): CallContent {
    const model = this.world.config.models?.[this.roleOf(part.request.partId)];
    const provider = this.world.config.providers?.[model?.provider ?? ''];
    if (model === undefined || provider === undefined) throw new Error('the oracle needs configured models');
    const { id, replySchema } = this.definition;
    const mode = provider.structuredOutput === 'auto' ? 'json_schema' : provider.structuredOutput;
    const { responseFormat, schemaInPrompt } = responseFormatFor(mode, id, replySchema, provider.schemaBounds);
    const { temperature, topP, seed, extra } = model;
    const moved = part.sample === 0 ? seed : (seed ?? 0) + part.sample;
    return {
      provider: model.provider,
      model: model.model,
      messages: buildMessages(this.world.prompts[id].instructions, part.request.payload, {
        ...(schemaInPrompt !== null && { schemaInPrompt }),
        ...(notes !== null && { repair: { reply: part.text, notes } }),
      }),
      sampling: {
        temperature,
        ...(topP !== undefined && { topP }),
        ...(moved !== undefined && { seed: moved }),
        ...(extra !== undefined && { extra }),
      },
      responseFormat,
      sampleIndex: part.sample,
    };
  }

  private say(part: Part, notes: readonly { rule: string; path: string; message: string }[] | null): Unread | null {
    const content = this.content(part, notes);
    this.calls.add(callKey(content));
    const reply = JSON.parse(answer(requestBody(content, 100_000, 'max_tokens'))) as { choices: { message: { content: string } }[] };
    part.text = reply.choices[0]?.message.content ?? '';
    const parsed = parseReply(part.text, this.definition.replySchema);
    if (!parsed.ok) return parsed;
    part.reply = parsed.value;
    return null;
  }

  /** Asks a part; false when no reply of it can be read. */
  ask(part: Part): boolean {
    const unread = this.say(part, null);
    if (unread === null) return true;
    if (this.definition.stage === 'quality') {
      part.sample += 1;
      return part.sample < 3 && this.ask(part);
    }
    return this.repair(part, [{ rule: unread.rule, path: unread.path, message: `The reply breaks the rule ${unread.rule}.` }]);
  }

  repair(part: Part, notes: readonly { rule: string; path: string; message: string }[]): boolean {
    part.repaired = true;
    return this.say(part, notes) === null;
  }

  /** Takes the step to its decision. */
  decide(input: unknown): { kind: 'accepted'; output: unknown } | { kind: 'rejected' | 'no_verdict'; reason: string } {
    const open = (request: PartRequest): Part => ({ request, sample: 0, repaired: false, reply: null, text: '' });
    const parts = this.definition.requests(input).map(open);
    if (!parts.map((part) => this.ask(part)).every(Boolean)) return { kind: 'no_verdict', reason: 'unread' };
    for (;;) {
      const replies = new Map<string, PartReply<unknown>>(parts.map((p) => [p.request.partId, { reply: p.reply, repaired: p.repaired }]));
      const verdict = this.definition.accept(input, replies);
      if (verdict.kind === 'accepted') return { kind: 'accepted', output: verdict.output };
      if (verdict.kind === 'rejected') return { kind: 'rejected', reason: verdict.reason };
      if (verdict.kind === 'more') {
        const added = verdict.parts.map(open);
        parts.push(...added);
        if (!added.map((part) => this.ask(part)).every(Boolean)) return { kind: 'no_verdict', reason: 'unread' };
      } else if (verdict.kind === 'repair') {
        for (const part of parts) {
          const notes = verdict.notes.filter(({ partId }) => partId === part.request.partId);
          const plain = notes.map(({ rule, path, message }) => ({ rule, path, message }));
          if (plain.length > 0 && !this.repair(part, plain)) return { kind: 'no_verdict', reason: 'unread' };
        }
      } else {
        const again = parts.filter(({ request, sample }) => verdict.partIds.includes(request.partId) && sample < 2);
        if (again.length === 0) return { kind: 'no_verdict', reason: 'cannot_tell' };
        for (const part of again) part.sample += 1;
        if (!again.map((part) => this.ask(part)).every(Boolean)) return { kind: 'no_verdict', reason: 'unread' };
      }
    }
  }

  /** Everything the decision follows from: input, check number and the first calls, byte for byte. */
  decidedFrom(input: unknown): string {
    const first = this.definition.requests(input).map((request) => ({ request, sample: 0, repaired: false, reply: null, text: '' }));
    const sent = first.map((part) => [part.request.partId, this.content(part, null)]);
    const none = this.content({ request: { partId: 'main', payload: {} }, sample: 0, repaired: false, reply: null, text: '' }, null);
    return canonicalJson([this.definition.checkNumber, input, sent, none]);
  }
}

/** Runs one candidate from scratch. */
export function slowRun(world: SlowWorld, candidate: Candidate): SlowEnd {
  let workpiece: Workpiece = { seed: world.config.seed, candidate };
  const decidedFrom = new Map<StepId, string>();
  const calls = new Set<string>();
  for (const id of STEPS) {
    const definition = STEP_DEFINITIONS[id];
    const step = new SlowStep(world, definition, calls);
    const input = definition.input(workpiece);
    decidedFrom.set(id, step.decidedFrom(input));
    const end = step.decide(input);
    if (end.kind !== 'accepted') return { status: end.kind, reason: end.reason, example: null, query: null, decidedFrom, calls };
    workpiece = definition.apply(workpiece, JSON.parse(JSON.stringify(end.output)));
  }
  const record = composeExample(workpiece);
  const example = JSON.stringify({ record, densityLevel: planOf(workpiece).level });
  return { status: 'accepted', reason: '', example, query: record.question, decidedFrom, calls };
}
