import type { Action, Level } from '../schemas/levels.ts';
import type { UsageRubric } from '../schemas/record.ts';
import type { Workpiece } from '../schemas/workpiece.ts';

/** An atom in its seat: `key` is internal (`s1`, `h1`, `x1`), `atomId` and `blockId` are the neutral published ids. */
export interface SeatedAtom {
  readonly key: string;
  readonly atomId: string;
  readonly blockId: string;
  readonly text: string;
  readonly level: Level;
  readonly action: Action;
  /** Null until the rubrics are written. */
  readonly rubric: UsageRubric | null;
}

/** A workpiece whose outputs contradict each other: a programming error of a step, never a user's. */
export class WorkpieceError extends Error {
  override readonly name = 'WorkpieceError';
  readonly code = 'workpiece_inconsistent';
}

/** The published id of the atom at a 0-based seat of a block. */
export function publishedAtomId(blockId: string, seat: number): string {
  return `${blockId}.a${seat + 1}`;
}

type Content = Pick<SeatedAtom, 'text' | 'level' | 'action'>;

/** Null when the step that writes this atom has not run; a missing atom of a step that has run is an error. */
function contentOf(workpiece: Workpiece, key: string): Content | null {
  if (key.startsWith('s')) {
    const atom = workpiece.atomize?.atoms.find((item) => item.key === key);
    if (atom === undefined) throw new WorkpieceError(`${workpiece.candidate.id}: the plan seats ${key}, but atomize gave no such atom`);
    return { text: atom.text, level: atom.level, action: atom.action };
  }
  if (key === 'h1') {
    return workpiece.hardDistractor === undefined ? null : { text: workpiece.hardDistractor.text, level: 'A', action: 'ignore' };
  }
  if (workpiece.auxiliary === undefined) return null;
  const text = workpiece.auxiliary.texts[key];
  if (text === undefined)
    throw new WorkpieceError(`${workpiece.candidate.id}: the plan seats ${key}, but auxiliary-distractors gave no such atom`);
  return { text, level: 'A', action: 'ignore' };
}

function rubricOf(workpiece: Workpiece, key: string): UsageRubric | null {
  if (workpiece.rubrics === undefined) return null;
  const rubric = workpiece.rubrics.rubrics[key];
  if (rubric === undefined) throw new WorkpieceError(`${workpiece.candidate.id}: rubrics has none for atom ${key}`);
  return rubric;
}

/** Every atom written so far, in block order; seats whose step has not run yet are left out. */
export function seatedAtoms(workpiece: Workpiece): readonly SeatedAtom[] {
  if (workpiece.plan === undefined)
    throw new WorkpieceError(`${workpiece.candidate.id}: atoms have no seats before the block plan is drawn`);
  return workpiece.plan.blocks.flatMap((block) =>
    block.seats.flatMap((key, seat) => {
      const content = contentOf(workpiece, key);
      if (content === null) return [];
      return [{ key, atomId: publishedAtomId(block.id, seat), blockId: block.id, ...content, rubric: rubricOf(workpiece, key) }];
    }),
  );
}
