import type { StoredAttempt } from '../../../schemas/ledger.ts';
import { STEPS } from '../../../schemas/steps.ts';
import type { StepId } from '../../../schemas/steps.ts';
import type { Flag } from '../../../schemas/workpiece.ts';
import type { NarrowStepOutput, TracedOutcome } from '../../../store/lineage-port.ts';
import type { Store } from '../../../store/port.ts';
import { readSpec } from '../../../activities/read-spec.ts';
import type { KnownRun } from '../run-of.ts';

/** All attempts under one ledger key. */
export interface CallPassport {
  readonly key: string;
  readonly partId: string;
  readonly role: string;
  readonly turn: 'first' | 'repair';
  readonly provider: string;
  readonly model: string;
  /** How each attempt ended, in order; `open` when no answer came. */
  readonly attempts: readonly string[];
  readonly freshInput: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly microUsd: number;
  /** Attempts whose cost nobody knows. */
  readonly unknownCosts: number;
  readonly runId: string;
  readonly at: number;
}

/** One step on the way of a candidate. */
export interface StepPassport {
  readonly step: StepId;
  /** `open`: asked, without a stored verdict. */
  readonly verdict: 'accepted' | 'rejected' | 'open';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly stepVersion: string | null;
  readonly flags: readonly Flag[];
  readonly runId: string | null;
  readonly at: number | null;
  /** Whether this run made it, and why or why not. */
  readonly reused: boolean;
  readonly because: string;
  readonly repairs: number;
  readonly calls: readonly CallPassport[];
}

/** A verdict of an earlier version or input that no longer holds. */
export interface EarlierVerdict {
  readonly step: StepId;
  readonly verdict: 'accepted' | 'rejected';
  readonly reason: string | null;
  readonly stepVersion: string;
  readonly runId: string;
  readonly at: number;
}

/** The whole way of a candidate. */
export interface Way {
  readonly steps: readonly StepPassport[];
  readonly earlier: readonly EarlierVerdict[];
}

function passport(key: string, attempts: readonly StoredAttempt[]): readonly CallPassport[] {
  const [first] = attempts;
  if (first === undefined) return [];
  const sum = (value: (attempt: StoredAttempt) => number): number => attempts.reduce((total, attempt) => total + value(attempt), 0);
  return [
    {
      key,
      partId: first.partId,
      role: first.role,
      turn: first.turn,
      provider: first.provider,
      model: first.model,
      attempts: attempts.map((attempt) => attempt.class ?? 'open'),
      freshInput: sum(({ usage }) => usage?.freshInput ?? 0),
      cachedInput: sum(({ usage }) => usage?.cachedInput ?? 0),
      output: sum(({ usage }) => usage?.output ?? 0),
      microUsd: sum(({ costMicroUsd }) => costMicroUsd ?? 0),
      unknownCosts: attempts.filter(({ costMicroUsd }) => costMicroUsd === null).length,
      runId: first.runId,
      at: first.intendedAt,
    },
  ];
}

async function knownRun(store: Store, runId: string): Promise<KnownRun | null> {
  const run = await store.run(runId);
  return run === null ? null : { run, spec: await readSpec(store, runId) };
}

function when(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Why a verdict was made in this run: what differs from the one that stood before. */
async function whyMade(store: Store, known: KnownRun, verdict: NarrowStepOutput, before: NarrowStepOutput | undefined): Promise<string> {
  if (before === undefined) return 'no verdict was stored for it before';
  if (before.stepVersion !== verdict.stepVersion) {
    const { stepDifferences } = await import('./version-change.ts');
    const earlier = await knownRun(store, before.runId);
    const differences = earlier === null ? [] : stepDifferences(verdict.step, earlier, known);
    return differences.length > 0 ? differences.join('; ') : 'its checks or its reply schema changed (another version of MemCalib)';
  }
  return 'a step before it, or the source row, gave another input';
}

async function stepPassport(
  store: Store,
  known: KnownRun,
  verdict: NarrowStepOutput,
  all: readonly NarrowStepOutput[],
  attempts: ReadonlyMap<string, readonly StoredAttempt[]>,
): Promise<StepPassport> {
  const calls = verdict.callKeys.flatMap((key) => passport(key, attempts.get(key) ?? []));
  const made = verdict.runId === known.run.id;
  const before = all.filter((other) => other.step === verdict.step && other.at <= verdict.at && other.key !== verdict.key).at(-1);
  const why = made ? await whyMade(store, known, verdict, before) : '';
  const served = made && calls.length > 0 && calls.every((call) => call.runId !== known.run.id);
  return {
    step: verdict.step,
    verdict: verdict.verdict,
    reason: verdict.reason,
    detail: verdict.detail,
    stepVersion: verdict.stepVersion,
    flags: verdict.flags,
    runId: verdict.runId,
    at: verdict.at,
    reused: !made,
    because: made
      ? `made in this run: ${why}${served ? '; every reply came from the ledger' : ''}`
      : `reused: same version and same input as in run ${verdict.runId} of ${when(verdict.at)}`,
    repairs: calls.filter((call) => call.turn === 'repair').length,
    calls,
  };
}

/** The verdicts that hold for a candidate in a build: those on its trail and the one that ended it, else the latest of each step. */
function holding(known: KnownRun, outcome: TracedOutcome | null, all: readonly NarrowStepOutput[]): readonly NarrowStepOutput[] {
  if (outcome === null) {
    const latest = new Map(all.filter(({ runId }) => runId === known.run.id).map((verdict) => [verdict.step, verdict]));
    return STEPS.flatMap((step) => latest.get(step) ?? []);
  }
  const trail = new Set(outcome.trail);
  const passed = all.filter(({ key }) => trail.has(key));
  const last = outcome.status !== 'rejected' ? [] : all.filter((verdict) => isEnd(verdict, outcome)).slice(-1);
  return [...passed, ...last].sort((a, b) => STEPS.indexOf(a.step) - STEPS.indexOf(b.step));
}

function isEnd(verdict: NarrowStepOutput, outcome: TracedOutcome): boolean {
  return (
    verdict.step === outcome.step &&
    verdict.verdict === 'rejected' &&
    verdict.reason === outcome.reason &&
    verdict.callKeys.every((key) => outcome.callKeys.includes(key))
  );
}

/** Reads every step of a candidate with its calls, why each was made or reused, and the verdicts that no longer hold. */
export async function readWay(store: Store, known: KnownRun, candidateId: string, outcome: TracedOutcome | null): Promise<Way> {
  const [all, own] = await Promise.all([store.lineage.verdicts(candidateId), store.lineage.attempts(candidateId)]);
  const held = holding(known, outcome, all);
  const used = new Set(all.flatMap(({ callKeys }) => callKeys));
  const loose = [...new Set([...(outcome?.callKeys ?? []), ...own.keys()])].filter((key) => !used.has(key));
  // What another candidate asked in the very same words stands under its name.
  const shared = [...new Set([...held.flatMap(({ callKeys }) => callKeys), ...loose])].filter((key) => !own.has(key));
  const attempts = shared.length === 0 ? own : new Map([...own, ...(await store.ledger.attempts(shared))]);
  const steps = await Promise.all(held.map((verdict) => stepPassport(store, known, verdict, all, attempts)));
  const open = STEPS.flatMap((step): readonly StepPassport[] => {
    const calls = loose.filter((key) => attempts.get(key)?.[0]?.step === step).flatMap((key) => passport(key, attempts.get(key) ?? []));
    if (calls.length === 0) return [];
    return [
      {
        step,
        verdict: 'open',
        reason: null,
        detail: null,
        stepVersion: null,
        flags: [],
        runId: calls.at(-1)?.runId ?? null,
        at: calls.at(-1)?.at ?? null,
        reused: false,
        because: 'asked, and no verdict came of it',
        repairs: calls.filter((call) => call.turn === 'repair').length,
        calls,
      },
    ];
  });
  const heldKeys = new Set(held.map(({ key }) => key));
  return {
    steps: [...steps, ...open],
    earlier: all
      .filter(({ key }) => !heldKeys.has(key))
      .map(({ step, verdict, reason, stepVersion, runId, at }) => ({ step, verdict, reason, stepVersion, runId, at })),
  };
}
