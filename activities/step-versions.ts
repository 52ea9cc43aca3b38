import { hashOf } from '../schemas/hash.ts';
import type { StepId } from '../schemas/steps.ts';
import { PLAN_VERSION } from '../stages/block-plan-tables.ts';
import type { Store } from '../store/port.ts';
import type { PreparedStep, SentToRole } from './run-context.ts';

/** What a step version stands for: kept so that a later plan can say what changed. */
export interface StepVersionText {
  readonly step: StepId;
  readonly instructions: string;
  readonly checkNumber: number;
  readonly sent: readonly SentToRole[];
}

/** What a pipeline hash stands for. */
export interface PipelineParts {
  readonly steps: Readonly<Partial<Record<StepId, string>>>;
  readonly planVersion: number;
  readonly seed: string;
}

const versionFact = (version: string): string => `step-version:${version}`;
const sentFact = (step: PreparedStep): string => `step-sent:${sentHash(step)}`;
const pipelineFact = (hash: string): string => `pipeline:${hash}`;

/** Two versions of a step with the same of these ask the same calls; they differ in the check number alone. */
export function sentHash(step: PreparedStep): string {
  return hashOf([step.definition.id, step.instructions, step.sent]);
}

/** What a prepared step's version stands for. */
export function textOfVersion(step: PreparedStep): StepVersionText {
  return { step: step.definition.id, instructions: step.instructions, checkNumber: step.definition.checkNumber, sent: step.sent };
}

/** What names a pipeline: its step versions, plan tables and seed. */
export function pipelineParts(steps: ReadonlyMap<StepId, PreparedStep>, seed: string): PipelineParts {
  return { steps: Object.fromEntries([...steps].map(([id, { version }]) => [id, version])), planVersion: PLAN_VERSION, seed };
}

/** Keeps the rendered texts of every step version and the parts of the pipeline, each once, before anything is asked under them. */
export async function keepVersions(store: Store, steps: ReadonlyMap<StepId, PreparedStep>, hash: string, seed: string): Promise<void> {
  const put = async (name: string, value: unknown): Promise<void> => {
    if ((await store.fact(name)) === null) await store.putFact(name, JSON.stringify(value));
  };
  // All at once: together they are one commit.
  await Promise.all([
    ...[...steps.values()].flatMap((step) => [
      put(versionFact(step.version), textOfVersion(step)),
      put(sentFact(step), step.definition.id),
    ]),
    put(pipelineFact(hash), pipelineParts(steps, seed)),
  ]);
}

/** What a step version stood for; null when no build under it was prepared. */
export async function readVersionText(store: Store, version: string): Promise<StepVersionText | null> {
  const text = await store.fact(versionFact(version));
  return text === null ? null : (JSON.parse(text) as StepVersionText);
}

/** The parts of a pipeline; null when no build under it was prepared by a MemCalib that keeps them. */
export async function readPipelineParts(store: Store, hash: string): Promise<PipelineParts | null> {
  const text = await store.fact(pipelineFact(hash));
  return text === null ? null : (JSON.parse(text) as PipelineParts);
}

/** Whether any build was prepared that asks the same calls as this step: only then can the ledger hold replies for it. */
export async function wasAsked(store: Store, step: PreparedStep): Promise<boolean> {
  return (await store.fact(sentFact(step))) !== null;
}
