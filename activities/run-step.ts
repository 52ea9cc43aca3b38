import { hashOf } from '../schemas/hash.ts';
import type { CallClass } from '../schemas/ledger.ts';
import type { Flag, Workpiece } from '../schemas/workpiece.ts';
import type { StepOutputRow } from '../store/port.ts';
import type { PartReply, RepairNote, StepVerdict } from '../stages/step.ts';
import { askPart, MAX_SAMPLES, newPart, repairPart } from './ask-part.ts';
import type { PartResult, PartState } from './ask-part.ts';
import type { PreparedStep, RunContext } from './run-context.ts';

/** How a step ended for one candidate; `stored` carries the row to commit when the verdict is new. */
export type StepEnd =
  | {
      readonly kind: 'accepted';
      readonly workpiece: Workpiece;
      readonly inputHash: string;
      readonly callKeys: readonly string[];
      readonly fresh: StepOutputRow | null;
    }
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      readonly detail: string;
      readonly callKeys: readonly string[];
      readonly fresh: StepOutputRow | null;
    }
  | {
      readonly kind: 'failed' | 'no_verdict';
      readonly class: CallClass | 'cannot_tell';
      readonly detail: string;
      readonly callKeys: readonly string[];
    }
  | { readonly kind: 'batched' }
  | { readonly kind: 'paused'; readonly reason: string; readonly until: number | null };

function keysOf(parts: ReadonlyMap<string, PartState>): readonly string[] {
  return [...parts.values()].flatMap((part) => part.callKeys);
}

function row(
  run: RunContext,
  step: PreparedStep,
  candidateId: string,
  inputHash: string,
  callKeys: readonly string[],
  end: Pick<StepOutputRow, 'verdict' | 'reason' | 'detail' | 'output' | 'flags'>,
  at: number,
): StepOutputRow {
  return { candidateId, step: step.definition.id, stepVersion: step.version, inputHash, callKeys, runId: run.runId, at, ...end };
}

function fromStored(stored: StepOutputRow, step: PreparedStep, workpiece: Workpiece): StepEnd {
  if (stored.verdict === 'rejected')
    return { kind: 'rejected', reason: stored.reason ?? '', detail: stored.detail ?? '', callKeys: stored.callKeys, fresh: null };
  return {
    kind: 'accepted',
    workpiece: step.definition.apply(workpiece, JSON.parse(stored.output ?? 'null')),
    inputHash: stored.inputHash,
    callKeys: stored.callKeys,
    fresh: null,
  };
}

function firstTrouble(results: readonly PartResult[]): PartResult | null {
  for (const kind of ['failed', 'paused', 'batched']) {
    const found = results.find((result) => result.kind === kind);
    if (found !== undefined) return found;
  }
  return null;
}

function isSpent(state: PartState | undefined): boolean {
  return state === undefined || state.sampleIndex >= state.maxSamples - 1;
}

function groupByPart(notes: readonly RepairNote[]): ReadonlyMap<string, readonly RepairNote[]> {
  const groups = new Map<string, RepairNote[]>();
  for (const note of notes) groups.set(note.partId, [...(groups.get(note.partId) ?? []), note]);
  return groups;
}

/**
 * Runs one step on one candidate: look up, ask its parts, decide, repair once, decide again. Throws only for programming errors.
 * `retries` counts how often a person reopened it here for want of a verdict: earlier samples are served from the ledger, new ones follow.
 */
export async function runStep(
  run: RunContext,
  step: PreparedStep,
  workpiece: Workpiece,
  clock: () => number,
  retries = 0,
): Promise<StepEnd> {
  const { definition } = step;
  const candidateId = workpiece.candidate.id;
  const input = definition.input(workpiece);
  const inputHash = hashOf(input);
  const stored = await run.storedVerdict({ candidateId, step: definition.id, stepVersion: step.version, inputHash });
  if (stored !== null) return fromStored(stored, step, workpiece);
  const parts = new Map<string, PartState>();
  for (const part of definition.requests(input)) parts.set(part.partId, newPart(part, MAX_SAMPLES * (1 + retries)));
  let trouble = firstTrouble(await Promise.all([...parts.values()].map((state) => askPart(run, step, candidateId, state))));
  for (;;) {
    if (trouble !== null && trouble.kind !== 'reply') return troubled(trouble, step, parts);
    const replies = new Map<string, PartReply<unknown>>();
    for (const [partId, state] of parts) replies.set(partId, { reply: state.reply, repaired: state.repaired });
    const verdict = definition.accept(input, replies);
    if (verdict.kind === 'accepted' || verdict.kind === 'rejected')
      return decided(run, step, workpiece, inputHash, keysOf(parts), verdict, clock());
    if (verdict.kind === 'noVerdict' && verdict.partIds.every((partId) => isSpent(parts.get(partId)))) {
      return {
        kind: 'no_verdict',
        class: 'cannot_tell',
        detail: `${definition.id}: ${verdict.partIds.join(', ')} gave no verdict in ${MAX_SAMPLES * (1 + retries)} replies`,
        callKeys: keysOf(parts),
      };
    }
    trouble = firstTrouble(await followUp(run, step, candidateId, parts, verdict));
  }
}

function troubled(trouble: Exclude<PartResult, { kind: 'reply' }>, step: PreparedStep, parts: ReadonlyMap<string, PartState>): StepEnd {
  if (trouble.kind !== 'failed') return trouble;
  const kind =
    step.definition.stage === 'quality' && (trouble.class === 'not_json' || trouble.class === 'schema_mismatch') ? 'no_verdict' : 'failed';
  return { kind, class: trouble.class, detail: trouble.message, callKeys: keysOf(parts) };
}

function decided(
  run: RunContext,
  step: PreparedStep,
  workpiece: Workpiece,
  inputHash: string,
  callKeys: readonly string[],
  verdict: Extract<StepVerdict<unknown>, { kind: 'accepted' | 'rejected' }>,
  at: number,
): StepEnd {
  const candidateId = workpiece.candidate.id;
  if (verdict.kind === 'rejected') {
    const fresh = row(
      run,
      step,
      candidateId,
      inputHash,
      callKeys,
      { verdict: 'rejected', reason: verdict.reason, detail: verdict.detail, output: null, flags: [] },
      at,
    );
    return { kind: 'rejected', reason: verdict.reason, detail: verdict.detail, callKeys, fresh };
  }
  const flags: readonly Flag[] = verdict.flags;
  const fresh = row(
    run,
    step,
    candidateId,
    inputHash,
    callKeys,
    { verdict: 'accepted', reason: null, detail: null, output: JSON.stringify(verdict.output), flags },
    at,
  );
  return { kind: 'accepted', workpiece: step.definition.apply(workpiece, verdict.output), inputHash, callKeys, fresh };
}

async function followUp(
  run: RunContext,
  step: PreparedStep,
  candidateId: string,
  parts: Map<string, PartState>,
  verdict: Extract<StepVerdict<unknown>, { kind: 'repair' | 'more' | 'noVerdict' }>,
): Promise<readonly PartResult[]> {
  if (verdict.kind === 'more') {
    const added = verdict.parts.map(newPart);
    for (const state of added) parts.set(state.part.partId, state);
    return Promise.all(added.map((state) => askPart(run, step, candidateId, state)));
  }
  if (verdict.kind === 'repair') {
    const groups = [...groupByPart(verdict.notes)];
    return Promise.all(
      groups.map(([partId, notes]) => {
        const state = parts.get(partId);
        if (state === undefined || state.repaired)
          throw new Error(`${step.definition.id} asked for a second repair of part ${partId}: a step must reject instead`);
        return repairPart(
          run,
          step,
          candidateId,
          state,
          notes.map(({ rule, path, message }) => ({ rule, path, message })),
        );
      }),
    );
  }
  const again = verdict.partIds.flatMap((partId) => parts.get(partId) ?? []).filter((state) => !isSpent(state));
  for (const state of again) state.sampleIndex += 1;
  return Promise.all(again.map((state) => askPart(run, step, candidateId, state)));
}
