import { createLedgerOnlyClient } from '../../llm/ledger-only-client.ts';
import type { CallRequest } from '../../schemas/ledger.ts';
import { STEPS } from '../../schemas/steps.ts';
import type { StepId } from '../../schemas/steps.ts';
import type { Workpiece } from '../../schemas/workpiece.ts';
import type { StepOutputRow, StoredCandidate } from '../../store/port.ts';
import type { Trail } from '../../store/planning-port.ts';
import { MAX_SAMPLES } from '../ask-part.ts';
import type { PreparedStep, RunContext } from '../run-context.ts';
import { storedVerdicts } from '../run-contexts.ts';
import { runStep } from '../run-step.ts';
import type { StepEnd } from '../run-step.ts';
import type { CertainCall, KnownEnd } from './candidate-plan.ts';
import { Profiles } from './profiles.ts';
import type { Baseline, World } from './world.ts';

/** What an earlier pipeline left of a candidate. */
export interface Past {
  readonly baseline: Baseline;
  readonly trail: Trail;
}

/** A candidate at its place, with what earlier pipelines left of it. */
export interface WalkInput {
  readonly item: StoredCandidate;
  readonly past: Past | null;
  readonly outputs: ReadonlyMap<string, StepOutputRow>;
  readonly retries: ReadonlyMap<StepId, number>;
}

/** Where a walk ended. */
export interface Walked {
  readonly settled: { readonly step: StepId; readonly need: 'reused' | 'free' }[];
  readonly first: StepId | null;
  readonly calls: readonly CertainCall[];
  readonly parts: number;
  readonly end: KnownEnd | null;
  readonly workpiece: Workpiece;
}

/** Leading steps whose version a past pipeline shares with the present one: their verdicts stand without looking at any text. */
export function sharedSteps(world: Pick<World, 'steps' | 'spec'>, baseline: Baseline, planVersion: number): number {
  const { parts } = baseline;
  if (parts === null || parts.seed !== world.spec.config.seed || parts.planVersion !== planVersion) return 0;
  const changed = STEPS.findIndex((step) => parts.steps[step] !== world.steps.get(step)?.version);
  return changed === -1 ? STEPS.length : changed;
}

/** The past end of a candidate when it stands as it is: no step up to the one that decided changed. */
export function standingEnd(shared: number, { trail }: Past): KnownEnd | null {
  const { status, step, reason, query } = trail;
  if (status !== 'accepted' && status !== 'rejected') return null;
  return shared > STEPS.indexOf(step) ? { status, reason, query } : null;
}

function preparedStep(world: World, step: StepId): PreparedStep {
  const prepared = world.steps.get(step);
  if (prepared === undefined) throw new Error(`step ${step} is missing in the catalog`);
  return prepared;
}

/** A run that asks nobody: the pipeline's own step runner over stored verdicts and stored replies. */
function dryRun(world: World, storedVerdict: RunContext['storedVerdict'], onSend: (request: CallRequest) => void): RunContext {
  return {
    runId: 'plan',
    orderId: world.order.id,
    pipelineHash: world.pipelineHash,
    spec: { ...world.spec, runId: 'plan', startedAt: 0 },
    steps: world.steps,
    client: createLedgerOnlyClient(world.store.ledger, onSend),
    closed: () => null,
    storedVerdict,
  };
}

/** Walks candidates through the steps as a build would, over what is stored; the first step that would ask is where a walk ends. */
export class Walker {
  private readonly world: World;
  private readonly run: RunContext;
  readonly profiles: Profiles;
  private readonly sent = new Map<string, CertainCall[]>();

  constructor(world: World) {
    this.world = world;
    this.profiles = new Profiles(world);
    this.run = dryRun(world, storedVerdicts(world.store), (request) => {
      const known = this.sent.get(request.candidateId) ?? [];
      this.sent.set(request.candidateId, [...known, { partId: request.partId, key: request.key }]);
    });
  }

  /** Walks one candidate; the verdicts of the first `prefix` steps of its past path stand. */
  async walk(input: WalkInput, prefix: number): Promise<Walked> {
    const { candidate } = input.item;
    let workpiece: Workpiece = { seed: this.world.spec.config.seed, candidate };
    const settled: Walked['settled'] = [];
    for (const [index, step] of STEPS.slice(0, prefix).entries()) {
      const output = input.outputs.get(input.past?.trail.keys[index] ?? '');
      if (output === undefined) break;
      workpiece = preparedStep(this.world, step).definition.apply(workpiece, JSON.parse(output.output ?? 'null'));
      settled.push({ step, need: 'reused' });
    }
    for (const step of STEPS.slice(settled.length)) {
      const prepared = preparedStep(this.world, step);
      const parts = (): number => prepared.definition.requests(prepared.definition.input(workpiece)).length;
      if (!this.world.mayBeStored.has(step)) {
        const requests = prepared.definition.requests(prepared.definition.input(workpiece));
        const calls = requests.map(({ partId }) => ({ partId, key: null }));
        if (calls.length > 0) return { settled, first: step, calls, parts: calls.length, end: null, workpiece };
      }
      this.sent.delete(candidate.id);
      const end = await runStep(this.run, prepared, workpiece, () => 0, input.retries.get(step) ?? 0);
      if (end.kind === 'paused' || end.kind === 'batched')
        return { settled, first: step, calls: this.sent.get(candidate.id) ?? [], parts: parts(), end: null, workpiece };
      settled.push({ step, need: 'fresh' in end && end.fresh === null ? 'reused' : 'free' });
      if (end.kind !== 'accepted') return { settled, first: null, calls: [], parts: 0, end: endOf(end), workpiece };
      workpiece = end.workpiece;
    }
    const query = workpiece.derive?.query ?? null;
    return { settled, first: null, calls: [], parts: 0, end: { status: 'accepted', reason: '', query }, workpiece };
  }
}

function endOf(end: Exclude<StepEnd, { kind: 'accepted' | 'paused' | 'batched' }>): KnownEnd {
  return { status: end.kind, reason: end.kind === 'rejected' ? end.reason : end.class, query: null };
}

/** Samples a reviewer may be asked for at a step, given how often the candidate was reopened there. */
export function samplesAt(step: StepId | null, retries: ReadonlyMap<StepId, number>): number {
  return MAX_SAMPLES * (1 + (step === null ? 0 : (retries.get(step) ?? 0)));
}
