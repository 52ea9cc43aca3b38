import type { UsageRubric } from '../../../schemas/record.ts';
import type { Span } from '../../../schemas/span.ts';
import type { StepId } from '../../../schemas/steps.ts';
import type { Workpiece } from '../../../schemas/workpiece.ts';
import { seatedAtoms } from '../../../stages/atoms.ts';
import { planOf } from '../../../stages/block-plan.ts';
import { STEP_DEFINITIONS } from '../../../stages/catalog.ts';
import type { KeyedStepOutput } from '../../../store/lineage-port.ts';
import type { StoredCandidate } from '../../../store/port.ts';

/** One atom of an example: what it says, which step wrote it from what, and why it has its level. */
export interface AtomPassport {
  readonly atomId: string;
  readonly blockId: string;
  readonly text: string;
  readonly level: string;
  readonly action: string;
  readonly origin: 'source' | 'hard distractor' | 'auxiliary distractor';
  readonly writtenBy: StepId;
  readonly rubric: UsageRubric | null;
  /** Source atoms: where the row says so. */
  readonly evidence: readonly Span[];
  /** Further facts in the words of the step: reason, with and without it, family, temptation. */
  readonly notes: readonly (readonly [string, string])[];
}

/** The workpiece as the verdicts on a trail left it. */
export function workpieceOf(seed: string, stored: StoredCandidate, trail: readonly KeyedStepOutput[]): Workpiece {
  let workpiece: Workpiece = { seed, candidate: stored.candidate };
  for (const { step, output } of trail) {
    if (output !== null) workpiece = STEP_DEFINITIONS[step].apply(workpiece, JSON.parse(output));
  }
  return workpiece;
}

/** The passport of an atom by its published id; null when the example has no such atom. */
export function atomPassport(workpiece: Workpiece, atomId: string): AtomPassport | null {
  if (workpiece.atomize === undefined) return null;
  const atom = seatedAtoms({ ...workpiece, plan: planOf(workpiece) }).find((seated) => seated.atomId === atomId);
  if (atom === undefined) return null;
  const { key, blockId, text, level, action, rubric } = atom;
  const base = { atomId, blockId, text, level, action, rubric };
  const source = workpiece.atomize.atoms.find((item) => item.key === key);
  if (source !== undefined)
    return {
      ...base,
      origin: 'source',
      writtenBy: 'atomize',
      evidence: source.evidence,
      notes: [
        ['kind', source.kind],
        ['passage', workpiece.derive?.passages[source.passage - 1]?.title ?? String(source.passage)],
        ['why this level', source.reason],
        ['answer without it', source.without],
        ['answer with it', source.with],
      ],
    };
  const hard = key === 'h1' ? workpiece.hardDistractor : undefined;
  if (hard !== undefined)
    return {
      ...base,
      origin: 'hard distractor',
      writtenBy: 'hard-distractor',
      evidence: [],
      notes: [
        ['family', hard.family],
        ['tempting sentence', hard.temptingSentence],
        ['why it does not apply', hard.whyNotApplicable],
        ['anchor', `${hard.anchor.where}: ${hard.anchor.quote}`],
      ],
    };
  return { ...base, origin: 'auxiliary distractor', writtenBy: 'auxiliary-distractors', evidence: [], notes: [['slot', key]] };
}
