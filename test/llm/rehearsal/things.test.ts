import { expect, it } from 'vitest';
import { nounsOf } from '../../../llm/rehearsal/grammar/things.ts';
import { DOMAIN_AREAS } from '../../../stages/scene-tables.ts';

it('every area in the vocabulary of a domain has things of its own, so that no scene is filled from the general list', () => {
  const general = nounsOf('an area nobody drew');
  const unknown = Object.values(DOMAIN_AREAS)
    .flat()
    .filter((area) => nounsOf(area) === general);
  expect(unknown).toEqual([]);
});
