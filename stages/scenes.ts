import { seededUniforms } from '../schemas/hash.ts';
import type { Domain } from '../schemas/levels.ts';
import type { AuxiliaryPayload, AuxiliarySlot } from '../schemas/payloads.ts';
import type { BlockPlan } from '../schemas/workpiece.ts';
import { namesIn } from './checks/critical-tokens.ts';
import { spacedWords } from './checks/word-target.ts';
import { drawIndex, drawInteger, drawItem, shuffled, type Uniform } from './draw.ts';
import { DOMAIN_AREAS, EVERYDAY_AREAS, FACT_KINDS, PERSONS } from './scene-tables.ts';

/** A scene card: what one block's auxiliary atoms are facets of. */
export type SceneCard = AuxiliaryPayload['blocks'][number]['scene'];

/** A block with free slots and what is to stand in them. */
export type AuxiliaryBlock = AuxiliaryPayload['blocks'][number];

/** Least share of auxiliary slots whose scene stays in the vocabulary of the domain (SPEC §4.4). */
export const DOMAIN_SCENE_SHARE = 1 / 3;
/** A drawn word target differs from the source atom it imitates by at most this many words. */
export const WORD_TARGET_SPREAD = 2;
const LEAST_WORDS = 5;
const MOST_WORDS = 45;

/**
 * Blocks with free slots, each with its scene card and, per slot, a word target and what the atom holds. Everything is drawn from
 * hash(seed, example id, ...): a writer left alone gives length and digits away.
 */
export function drawAuxiliaryBlocks(
  seed: string,
  exampleId: string,
  domain: Domain,
  plan: BlockPlan,
  sourceTexts: readonly string[],
): readonly AuxiliaryBlock[] {
  const open = plan.blocks
    .map((block) => ({
      id: block.id,
      seated: block.seats.filter((key) => !key.startsWith('x')),
      slots: block.seats.filter((key) => key.startsWith('x')),
    }))
    .filter((block) => block.slots.length > 0);
  const scenes = drawScenes(
    seed,
    exampleId,
    domain,
    open.map((block) => ({ id: block.id, slots: block.slots.length })),
  );
  return open.map((block) => ({
    block: block.id,
    seated: block.seated,
    scene: scenes.get(block.id) ?? { area: '', kind: '', person: '' },
    slots: block.slots.map((slot) => drawSlot(seed, exampleId, slot, sourceTexts)),
  }));
}

/** Scene cards by block id; no area comes twice in an example, and at least a third of the slots get one of the domain. */
export function drawScenes(
  seed: string,
  exampleId: string,
  domain: Domain,
  blocks: readonly { readonly id: string; readonly slots: number }[],
): ReadonlyMap<string, SceneCard> {
  const uniform = seededUniforms(seed, exampleId, 'scenes');
  const total = blocks.reduce((sum, { slots }) => sum + slots, 0);
  const domainAreas = [...shuffled(uniform, DOMAIN_AREAS[domain])];
  const everydayAreas = [...shuffled(uniform, EVERYDAY_AREAS)];
  const cards = new Map<string, SceneCard>();
  let inDomain = 0;
  for (const { id, slots } of shuffled(uniform, blocks)) {
    const wanted = inDomain < total * DOMAIN_SCENE_SHARE;
    const area = (wanted ? domainAreas.pop() : everydayAreas.pop()) ?? drawItem(uniform, wanted ? DOMAIN_AREAS[domain] : EVERYDAY_AREAS);
    if (wanted) inDomain += slots;
    const draw = seededUniforms(seed, exampleId, id, 'scene');
    cards.set(id, { area, kind: drawItem(draw, FACT_KINDS), person: drawPerson(draw) });
  }
  return cards;
}

/**
 * What one auxiliary atom looks like: it imitates a source atom drawn at random, in its number of words (±2) and in whether it holds
 * a number or a name, so that neither tells A from B and C.
 */
export function drawSlot(seed: string, exampleId: string, slot: string, sourceTexts: readonly string[]): AuxiliarySlot {
  const uniform = seededUniforms(seed, exampleId, slot, 'slot');
  const model = drawItem(uniform, sourceTexts);
  const aimed = spacedWords(model) + drawInteger(uniform, -WORD_TARGET_SPREAD, WORD_TARGET_SPREAD);
  return { slot, words: Math.min(MOST_WORDS, Math.max(LEAST_WORDS, aimed)), holds: holdsOf(model) };
}

function drawPerson(uniform: Uniform): string {
  const weights = PERSONS.map(([, weight]) => weight);
  return PERSONS[drawIndex(uniform, weights)]?.[0] ?? 'the user';
}

/** Whether a text holds a digit, else a name in mid-sentence, else neither. */
export function holdsOf(text: string): AuxiliarySlot['holds'] {
  if (/\p{N}/u.test(text)) return 'number';
  return namesIn(text).length > 0 ? 'name' : 'neither';
}
