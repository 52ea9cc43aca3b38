import type { Plan } from '../../../activities/plan/plan.ts';
import type { Edit } from './edits.ts';
import { EDITS } from './edits.ts';
import { firstState } from './world.ts';
import type { State } from './world.ts';

/** One thing that happens to a project. */
export interface Turn {
  readonly name: string;
  readonly state: State;
  /** Calls after which the build is killed; null when it may end. */
  readonly killAfter: number | null;
}

/** Edits of files and config that can stand on each other in any order. */
const EDITABLE: readonly Edit[] = EDITS.filter((edit) => edit.code === undefined && edit.before === undefined);
const COSTLY: readonly Edit[] = EDITABLE.filter((edit) => edit.free !== true);

/** Models that edits bring in have no price: their cost is null and listed apart. */
const PRICE = { inputPerMillionUsd: 1, outputPerMillionUsd: 2 };
const PRICES = { rehearsal: PRICE, 'rehearsal-a': PRICE, 'rehearsal-b': PRICE };

const copy = (state: State): State => structuredClone(state);

/** A seeded sequence: a first build, then edits, reverts to any earlier state and builds that are killed; the last build ends. */
export function drawTurns(draw: () => number, length: number): readonly Turn[] {
  const start = firstState();
  start.config = { ...start.config, target: { health: 3, general: 0, coding: 0 }, prices: PRICES };
  const turns: Turn[] = [{ name: 'first build', state: start, killAfter: draw() < 0.5 ? Math.ceil(draw() * 30) : null }];
  while (turns.length < length) {
    const last = turns.at(-1);
    if (last === undefined) break;
    const kind = draw();
    const at = Math.floor(draw() * turns.length);
    const pool = draw() < 0.7 ? COSTLY : EDITABLE;
    const edit = pool[Math.floor(draw() * pool.length)];
    const killAfter = draw() < 0.4 ? Math.ceil(draw() * 20) : null;
    if (kind < 0.2 && last.killAfter !== null) turns.push({ name: 'go on', state: last.state, killAfter });
    else if (kind < 0.35) turns.push({ name: `back to build ${at + 1}`, state: (turns[at] ?? last).state, killAfter });
    else if (edit !== undefined) {
      const state = copy(last.state);
      edit.edit(state);
      turns.push({ name: edit.name, state, killAfter });
    }
  }
  const last = turns.at(-1);
  return last === undefined || last.killAfter === null ? turns : [...turns, { name: 'go on', state: last.state, killAfter: null }];
}

/** What a build really did, beside its plan. */
export interface Done {
  readonly logicalCalls: number;
  readonly microUsd: number;
  /** Calls whose price is unknown. */
  readonly unpriced: number;
  readonly isEnded: boolean;
}

/** Sentences on every bound of a plan that a build broke. */
export function brokenBounds(plan: Plan, done: Done): readonly string[] {
  const { calls, money } = plan;
  const broken: string[] = [];
  if (done.logicalCalls > calls.upper + calls.refill) broken.push(`${done.logicalCalls} calls, at most ${calls.upper} + ${calls.refill}`);
  if (done.isEnded && done.logicalCalls < calls.lower) broken.push(`${done.logicalCalls} calls, at least ${calls.lower}`);
  if (money === null || done.unpriced > 0) return broken;
  if (done.microUsd > money.upper + money.refillUpper) broken.push(`${done.microUsd} µ$, at most ${money.upper} + ${money.refillUpper}`);
  if (done.isEnded && done.microUsd < money.lower) broken.push(`${done.microUsd} µ$, at least ${money.lower}`);
  return broken;
}
