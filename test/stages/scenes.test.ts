import { describe, expect, it } from 'vitest';
import { DOMAINS } from '../../schemas/levels.ts';
import { drawBlockPlan } from '../../stages/block-plan.ts';
import { DOMAIN_AREAS, EVERYDAY_AREAS, FACT_KINDS, PERSONS } from '../../stages/scene-tables.ts';
import { drawAuxiliaryBlocks, drawScenes, drawSlot, holdsOf } from '../../stages/scenes.ts';
import { spacedWords } from '../../stages/checks/word-target.ts';

const texts = [
  'The user weighs 71 kg.',
  'The user moved to Utrecht with two cats and a rather large piano.',
  'The user likes quiet rooms.',
];
const sources = texts.map((_, index) => ({ key: `s${index + 1}`, passage: 1 }));

describe('scene cards', () => {
  it.each(DOMAINS)('of %s come from several hundred combinations without a repeated area', (domain) => {
    expect((DOMAIN_AREAS[domain].length + EVERYDAY_AREAS.length) * FACT_KINDS.length * PERSONS.length).toBeGreaterThan(300);
    expect(new Set([...DOMAIN_AREAS[domain], ...EVERYDAY_AREAS]).size).toBe(DOMAIN_AREAS[domain].length + EVERYDAY_AREAS.length);
  });

  it.each(DOMAINS)('keep at least a third of the slots of every example in the vocabulary of %s', (domain) => {
    for (let n = 0; n < 300; n += 1) {
      const plan = drawBlockPlan('seed', `e${n}`, sources);
      const blocks = drawAuxiliaryBlocks('seed', `e${n}`, domain, plan, texts);
      const slots = blocks.flatMap((block) => block.slots);
      const inDomain = blocks.filter(({ scene }) => DOMAIN_AREAS[domain].includes(scene.area)).flatMap((block) => block.slots);
      expect(inDomain.length * 3).toBeGreaterThanOrEqual(slots.length);
      expect(slots.map(({ slot }) => slot)).toEqual(plan.blocks.flatMap(({ seats }) => seats.filter((key) => key.startsWith('x'))));
    }
  });

  it('differ in area within an example while the table lasts, and do not change with the number of examples', () => {
    const blocks = Array.from({ length: 15 }, (_, n) => ({ id: `b${n + 1}`, slots: 3 }));
    const cards = drawScenes('seed', 'e1', 'coding', blocks);
    expect(new Set([...cards.values()].map(({ area }) => area)).size).toBe(15);
    expect([...drawScenes('seed', 'e1', 'coding', blocks)]).toEqual([...cards]);
    expect([...drawScenes('seed', 'e2', 'coding', blocks)]).not.toEqual([...cards]);
  });
});

describe('slots', () => {
  it('imitate a source atom: its words within two, its number or name', () => {
    const seen = new Map<string, number>();
    for (let n = 0; n < 600; n += 1) {
      const { words: target, holds } = drawSlot('seed', 'e1', `x${n}`, texts);
      const models = texts.filter((text) => holdsOf(text) === holds).map((text) => spacedWords(text));
      expect(models.some((count) => Math.abs(Math.max(5, count) - target) <= 2)).toBe(true);
      seen.set(holds, (seen.get(holds) ?? 0) + 1);
    }
    for (const holds of ['number', 'name', 'neither'])
      expect(Math.abs((seen.get(holds) ?? 0) - 200)).toBeLessThanOrEqual(4 * Math.sqrt((600 * 2) / 9));
  });

  it.each([
    ['The user weighs 71 kg.', 'number'],
    ['The user met Ada.', 'name'],
    ['Rain is liked by the user.', 'neither'],
    ['The user owns two cats.', 'neither'],
  ])('%s holds %s', (text, holds) => {
    expect(holdsOf(text)).toBe(holds);
  });
});
