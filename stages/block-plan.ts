import { seededUniforms } from '../schemas/hash.ts';
import type { BlockPlan, Workpiece } from '../schemas/workpiece.ts';
import { BLOCK_COUNTS, DENSITY_SHARES, MAX_SLOTS, SIZE_RECIPES } from './block-plan-tables.ts';
import { drawIndex, drawInteger, shuffled, type Uniform } from './draw.ts';

/** Blocks of one draw: the density level and the atoms each block holds, in final block order. */
export interface BlockShape {
  readonly level: 1 | 2 | 3;
  readonly sizes: readonly number[];
}

/** A source atom as the seating sees it. */
export interface SeatedSource {
  readonly key: string;
  readonly passage: number;
}

/** No plan can hold this many source atoms; atomization never returns so many. */
export class BlockPlanError extends Error {
  override readonly name = 'BlockPlanError';
  readonly code = 'too_many_source_atoms';
}

const LEVEL_SHARES = Object.values(DENSITY_SHARES);
const BLOCK_WEIGHTS = BLOCK_COUNTS.map(([, count]) => count);

/** Draws number of blocks, density level and shuffled sizes once, before any redraw (SPEC §4.5). */
export function drawShape(uniform: Uniform): BlockShape {
  const blocks = BLOCK_COUNTS[drawIndex(uniform, BLOCK_WEIGHTS)]?.[0] ?? 3;
  const level = ([1, 2, 3] as const)[drawIndex(uniform, LEVEL_SHARES)] ?? 1;
  const recipes = SIZE_RECIPES[level];
  const recipe = recipes[
    drawIndex(
      uniform,
      recipes.map(({ share }) => share),
    )
  ] ?? { focus: [], rest: 3 };
  const focus = recipe.focus.map(([least, most]) => drawInteger(uniform, least, most));
  const rest = Array.from({ length: blocks - 1 - focus.length }, () => recipe.rest);
  return { level, sizes: shuffled(uniform, [1, ...focus, ...rest]) };
}

/**
 * The block plan of an example, fixed by seed and example id (SPEC §4.5). Shapes are redrawn while they hold fewer slots than
 * source atoms + 1 or more than 63; passages are then seated, the hard atom takes a random free slot, auxiliary slots fill the rest.
 */
export function drawBlockPlan(seed: string, exampleId: string, sources: readonly SeatedSource[]): BlockPlan {
  if (sources.length + 1 > MAX_SLOTS)
    throw new BlockPlanError(`example ${exampleId} has ${sources.length} source atoms; a block plan holds at most ${MAX_SLOTS - 1}`);
  const uniform = seededUniforms(seed, exampleId, 'block-plan');
  const { shape, redraws } = drawFittingShape(uniform, sources.length);
  const seats: string[][] = shape.sizes.map(() => []);
  const free = (): readonly number[] => shape.sizes.map((size, index) => size - (seats[index]?.length ?? 0));
  seatSources(uniform, sources, seats, free);
  seats[drawIndex(uniform, free())]?.push('h1');
  const filled = free().map((room, index) => [...(seats[index] ?? []), ...Array.from({ length: room }, () => 'x')]);
  return {
    level: shape.level,
    redraws,
    blocks: numbered(
      shuffled(
        uniform,
        filled.map((keys) => shuffled(uniform, keys)),
      ),
    ),
  };
}

/** What a block plan is drawn from. */
export type Planned = Pick<Workpiece, 'seed' | 'atomize' | 'plan'> & { readonly candidate: Pick<Workpiece['candidate'], 'id'> };

/** Sizes of the blocks of an example, in no order that means anything: the beginning of its block plan, before anything is seated. */
export function drawBlockSizes(seed: string, exampleId: string, sourceAtoms: number): readonly number[] {
  return drawFittingShape(seededUniforms(seed, exampleId, 'block-plan'), sourceAtoms).shape.sizes;
}

/** The plan of a workpiece: the stored one, else the one its seed, id and source atoms fix. Throws before `atomize` has run. */
export function planOf(workpiece: Planned): BlockPlan {
  if (workpiece.plan !== undefined) return workpiece.plan;
  if (workpiece.atomize === undefined)
    throw new Error(`candidate ${workpiece.candidate.id} has no atoms yet: run atomize before its block plan is drawn`);
  return drawBlockPlan(workpiece.seed, workpiece.candidate.id, workpiece.atomize.atoms);
}

function drawFittingShape(uniform: Uniform, sourceAtoms: number): { readonly shape: BlockShape; readonly redraws: number } {
  let redraws = 0;
  let shape = drawShape(uniform);
  while (!fits(shape, sourceAtoms)) {
    shape = drawShape(uniform);
    redraws += 1;
  }
  return { shape, redraws };
}

function fits(shape: BlockShape, sourceAtoms: number): boolean {
  const slots = shape.sizes.reduce((sum, size) => sum + size, 0);
  return slots > sourceAtoms && slots <= MAX_SLOTS;
}

/** First atoms of passages, and atoms whose block is full, choose by free slots; the others follow the atom before them. */
function seatSources(uniform: Uniform, sources: readonly SeatedSource[], seats: readonly string[][], free: () => readonly number[]): void {
  const passages = [...new Set(sources.map(({ passage }) => passage))];
  for (const passage of passages) {
    let block: number | undefined;
    for (const { key } of sources.filter((atom) => atom.passage === passage)) {
      const room = free();
      if (block === undefined || (room[block] ?? 0) === 0) block = drawIndex(uniform, room);
      seats[block]?.push(key);
    }
  }
}

function numbered(blocks: readonly (readonly string[])[]): BlockPlan['blocks'] {
  let slot = 0;
  return blocks.map((keys, index) => ({ id: `b${index + 1}`, seats: keys.map((key) => (key === 'x' ? `x${(slot += 1)}` : key)) }));
}
