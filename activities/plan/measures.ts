import { FAILURES } from '../../llm/failures.ts';
import { batchPrice, estimateTokens, priceBook } from '../../llm/prices.ts';
import type { ModelPrice } from '../../llm/prices.ts';
import { wilson } from '../../metrics/proportion.ts';
import type { Role, StepId } from '../../schemas/steps.ts';
import type { CallMeasure, ChangeCount } from '../../store/planning-port.ts';
import type { Rates } from '../../stages/plan/profile.ts';
import type { PreparedStep, SentToRole } from '../run-context.ts';
import type { StepLine } from './plan.ts';
import type { World } from './world.ts';

/** Tokens of the input of a call nobody measured, besides its instructions: a row and what was made of it. */
const UNMEASURED_INPUT = 1500;
const UNMEASURED_INPUT_MOST = 30_000;
/** Share of its cap a reply takes that nobody measured. */
const UNMEASURED_OUTPUT_SHARE = 0.35;

/** What one logical call of a step takes at one role. */
export interface CallCost {
  readonly role: Role;
  readonly provider: string;
  readonly model: string;
  readonly measuredCalls: number;
  readonly input: { readonly mean: number; readonly deviation: number; readonly min: number; readonly most: number };
  readonly output: { readonly mean: number; readonly deviation: number; readonly min: number; readonly most: number };
  readonly latencyMs: number | null;
  readonly price: ModelPrice | null;
}

/** How calls of a step run in practice. */
export interface StepMeasure {
  readonly costs: readonly CallCost[];
  /** Logical calls per candidate that ran the step, and calls per first turn. */
  readonly callsPerCandidate: number;
  readonly callsPerFirst: number;
  readonly cutOff: StepLine['cutOff'];
  /** How many of the rows of the sample it was decided anew for; null without a sample. */
  readonly ran: { readonly share: number; readonly low: number; readonly high: number } | null;
}

/** Below so many redone verdicts an edit says nothing about itself yet. */
const ENOUGH_REDONE = 10;

/** Attempts of one logical call that are paid by us at most, and the caps they may use up: cut, blank and blank again, then answered or cut at the raised cap. */
const { truncated, empty } = FAILURES;
const PAID_ATTEMPTS = truncated.maxAttempts - 1 + (empty.maxAttempts - 1) + 1;
const CAPS_USED = 1 + 2 * (PAID_ATTEMPTS - 1);

function costOf(
  step: PreparedStep,
  { role, provider, model }: SentToRole,
  measures: readonly CallMeasure[],
  price: ModelPrice | null,
): CallCost {
  const own = measures.filter((measure) => measure.step === step.definition.id);
  const measured = own.find((measure) => measure.role === role) ?? own[0];
  const cap = Math.ceil(step.maxTokens * step.bindingOf(role).maxTokensFactor);
  const instructions = estimateTokens([step.instructions, JSON.stringify(step.sent[0]?.schemaInPrompt ?? '')]);
  if (measured === undefined) {
    const input = instructions + UNMEASURED_INPUT;
    const output = cap * UNMEASURED_OUTPUT_SHARE;
    return {
      role,
      provider,
      model,
      measuredCalls: 0,
      input: { mean: input, deviation: input / 2, min: 0, most: (instructions + UNMEASURED_INPUT_MOST) * PAID_ATTEMPTS },
      output: { mean: output, deviation: output / 2, min: 0, most: cap * CAPS_USED },
      latencyMs: null,
      price,
    };
  }
  const { calls, inputMean, inputDeviation, inputMin, inputMax, outputMean, outputDeviation, outputMin, outputMax } = measured;
  return {
    role,
    provider,
    model,
    measuredCalls: calls,
    input: { mean: inputMean, deviation: inputDeviation, min: inputMin, most: 2 * inputMax * PAID_ATTEMPTS },
    output: { mean: outputMean, deviation: outputDeviation, min: outputMin, most: Math.max(cap, outputMax) * CAPS_USED },
    latencyMs: measured.latencyMeanMs,
    price,
  };
}

function cutOffOf(step: StepId, changes: readonly ChangeCount[], isSampled: boolean): StepLine['cutOff'] {
  const found = changes.find((change) => change.step === step);
  const seen = (changed: number, redone: number, of: StepLine['cutOff']['of']): StepLine['cutOff'] => {
    const interval = wilson(changed, redone);
    return { changeRate: interval?.share ?? 1, low: interval?.low ?? 0, high: interval?.high ?? 1, redone, of };
  };
  if (found !== undefined && found.redoneNow > 0 && isSampled) return seen(found.changedNow, found.redoneNow, 'a sample');
  if (found !== undefined && found.redoneNow >= ENOUGH_REDONE) return seen(found.changedNow, found.redoneNow, 'this edit');
  if (found !== undefined && found.redone > 0) return seen(found.changed, found.redone, 'earlier edits');
  return seen(0, 0, 'nothing yet');
}

/** Logical calls per candidate of steps nobody ran yet: the mean plan has five blocks and sixteen atoms. */
const USUAL_CALLS: Readonly<Record<StepId, number>> = {
  screen: 1,
  derive: 1,
  atomize: 1,
  'hard-distractor': 1.2,
  'auxiliary-distractors': 1.3,
  rubrics: 1.4,
  naturalize: 4,
  'review-fidelity': 2,
  'review-calibration': 2,
};

/** Reads from the ledger what calls of every step took, and from stored verdicts how often an edit changed them. */
export async function measure(world: World): Promise<ReadonlyMap<StepId, StepMeasure>> {
  const { planning } = world.store;
  const [measures, changes, sampled] = await Promise.all([
    planning.callMeasures(),
    planning.changeCounts([...world.steps.values()].map((step) => step.version)),
    world.sample === null ? [] : planning.runWork(world.sample.runId),
  ]);
  const made = (step: StepId): number => sampled.find((work) => work.step === step)?.made ?? 0;
  const { prices, models } = world.spec.config;
  const priceOf = priceBook(prices ?? {});
  /** A role that is answered in batches costs the batch price. */
  const priceFor = ({ role, provider, model }: SentToRole): ModelPrice | null => {
    const price = priceOf(provider, model);
    const mode = models?.[role].mode ?? 'online';
    return mode === 'online' ? price : batchPrice(price);
  };
  return new Map(
    [...world.steps].map(([id, step]) => {
      const own = measures.filter((item) => item.step === id);
      const total = (pick: (item: CallMeasure) => number): number => own.reduce((sum, item) => sum + pick(item), 0);
      const candidates = Math.max(0, ...own.map((item) => item.candidates));
      return [
        id,
        {
          costs: step.sent.map((sent) => costOf(step, sent, measures, priceFor(sent))),
          callsPerCandidate: candidates === 0 ? USUAL_CALLS[id] : total((item) => item.keys) / candidates,
          callsPerFirst:
            candidates === 0
              ? 1
              : total((item) => item.keys) /
                Math.max(
                  1,
                  total((item) => item.firsts),
                ),
          cutOff: cutOffOf(id, changes, world.sample !== null),
          ran: world.sample === null ? null : wilson(Math.min(made(id), world.sample.ids.length), world.sample.ids.length),
        },
      ];
    }),
  );
}

/** Acceptance of a step nobody saw yet, so that nine of them make the prior yield of the launch rule. */
const PRIOR_ACCEPTANCE = 0.2 ** (1 / 9);

/** Rates with, where an edit was measured on a sample, those at both ends of their intervals. */
export type PlanRates = Rates & { readonly ends: { readonly low: Rates; readonly high: Rates } | null };

/** Rates of change from stored verdicts, and of acceptance from the ends under the pipeline that is compared with. */
export async function ratesOf(world: World, measures: ReadonlyMap<StepId, StepMeasure>): Promise<PlanRates> {
  const { before, store } = world;
  const ends = before === null ? [] : await store.stepCounts(before.pipelineHash, before.orderId);
  const ids = [...world.steps.keys()];
  const count = (wanted: (end: (typeof ends)[number]) => boolean): number => ends.filter(wanted).reduce((sum, end) => sum + end.count, 0);
  const accept = new Map(
    ids.map((step, index) => {
      const here = count((end) => end.step === step && end.status === 'rejected');
      const later = count((end) => end.status === 'accepted' || (end.status === 'rejected' && ids.indexOf(end.step) > index));
      return [step, here + later === 0 ? PRIOR_ACCEPTANCE : later / (here + later)];
    }),
  );
  const rates = (change: (cutOff: StepLine['cutOff']) => number, end: 'share' | 'low' | 'high'): Rates => ({
    ran: (step) => measures.get(step)?.ran?.[end] ?? null,
    change: (step) => {
      const cutOff = measures.get(step)?.cutOff;
      return cutOff === undefined ? 1 : change(cutOff);
    },
    accept: (step) => accept.get(step) ?? PRIOR_ACCEPTANCE,
  });
  const isMeasured = [...measures.values()].some(({ cutOff }) => cutOff.of === 'a sample');
  const end = (name: 'low' | 'high'): Rates => rates((cutOff) => (cutOff.of === 'a sample' ? cutOff[name] : cutOff.changeRate), name);
  return { ...rates((cutOff) => cutOff.changeRate, 'share'), ends: isMeasured ? { low: end('low'), high: end('high') } : null };
}
