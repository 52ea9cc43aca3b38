import { STEPS } from '../../schemas/steps.ts';
import type { StepId } from '../../schemas/steps.ts';
import type { AtomizeOutput, Workpiece } from '../../schemas/workpiece.ts';
import { firstParts, MOST_PARTS } from '../../stages/plan/bounds.ts';
import type { AtomizedWorkpiece } from '../../stages/plan/bounds.ts';
import type { Domain } from '../../schemas/levels.ts';
import type { PositionOutcome } from '../../store/port.ts';
import type { Past, Walked } from './walk.ts';
import type { World } from './world.ts';

/** A candidate whose first steps stand as they did before. */
export interface OpenCandidate {
  readonly item: PositionOutcome;
  readonly past: Past | null;
  /** How many of its first steps stand. */
  readonly prefix: number;
}

/** Calls that are certain and whose parts nobody has named yet. */
const ASKED: Walked['calls'] = Array.from({ length: Math.max(...Object.values(MOST_PARTS)) }, (_, at) => ({
  partId: String(at + 1),
  key: null,
}));

const ATOMIZE = STEPS.indexOf('atomize');

/** The step a candidate must ask next for certain: nobody ever asked it in this version, so nothing can be stored for it. */
function certainStep(world: World, { past, prefix }: OpenCandidate): StepId | null {
  const step = STEPS[prefix];
  return past === null || step === undefined || world.mayBeStored.has(step) ? null : step;
}

/** A workpiece that holds what the block plan is drawn from and nothing else. */
function planned(world: World, domain: Domain, id: string, output: string | undefined): AtomizedWorkpiece | null {
  if (output === undefined) return null;
  return { seed: world.spec.config.seed, candidate: { id, domain }, atomize: JSON.parse(output) as AtomizeOutput };
}

/** Where a walk ends, and what the bounds of later steps are read from. */
export type WalkedByPlan = Omit<Walked, 'workpiece'> & { readonly workpiece: AtomizedWorkpiece | Workpiece | null };

/**
 * Ends of walks that are known without reading rows, prompts or replies: of candidates whose first changed step was never asked in its
 * present version, the block plan alone tells how many parts it has. The others are left out and have to be walked.
 */
export async function firstByPlan(
  world: World,
  domain: Domain,
  open: readonly OpenCandidate[],
): Promise<ReadonlyMap<string, WalkedByPlan>> {
  const certain = open.flatMap((one) => {
    const step = certainStep(world, one);
    return step === null ? [] : [{ ...one, step, keys: one.past?.trail.keys.slice(0, one.prefix) ?? [] }];
  });
  const ends = new Map<string, WalkedByPlan>();
  if (certain.length === 0) return ends;
  const { planning } = world.store;
  const [stored, outputs] = await Promise.all([
    planning.storedKeys(certain.flatMap(({ keys }) => keys)),
    planning.outputTexts(certain.flatMap(({ keys }) => keys[ATOMIZE] ?? [])),
  ]);
  for (const { item, step, prefix, keys } of certain) {
    if (!keys.every((key) => stored.has(key))) continue;
    const workpiece = planned(world, domain, item.candidateId, outputs.get(keys[ATOMIZE] ?? ''));
    if (workpiece === null && prefix > ATOMIZE) continue;
    const parts = workpiece === null ? 1 : firstParts(step, workpiece);
    // A step that asks nothing (no block of several atoms) is passed, so such a candidate is walked.
    if (parts === 0) continue;
    const settled = STEPS.slice(0, prefix).map((id) => ({ step: id, need: 'reused' as const }));
    ends.set(item.candidateId, { settled, first: step, calls: ASKED.slice(0, parts), parts, end: null, workpiece });
  }
  return ends;
}
