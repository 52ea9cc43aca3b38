import { expect, it } from 'vitest';
import { bookOf } from '../../cli/owner/models.ts';
import { Config } from '../../schemas/config.ts';
import { demoConfig } from '../support/demo-config.ts';

const config = Config.parse(demoConfig());
const priced = Config.parse(demoConfig({ prices: { rehearsal: { inputPerMillionUsd: 2, outputPerMillionUsd: 4 } } }));

it.each([
  ['a rehearsal costs nothing', config, true, 'rehearsal', 0],
  ['a rehearsal with a price costs that', priced, true, 'rehearsal', 2],
  ['another model without a price costs nobody knows what', config, true, 'gpt', null],
  ['an endpoint that is named rehearsal has no price of its own', config, false, 'rehearsal', null],
] as const)('%s', (_, of, rehearsal, provider, price) => {
  expect(bookOf({ config: of, rehearsal })(provider, 'rehearsal')?.inputPerMillionUsd ?? null).toBe(price);
});
