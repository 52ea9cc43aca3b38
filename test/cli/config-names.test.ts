import { expect, it } from 'vitest';
import { knownNames } from '../../cli/check-config.ts';
import { PriceConfig, ProviderConfig, SourceConfig } from '../../schemas/config.ts';

it.each<[readonly PropertyKey[], readonly string[]]>([
  [['sources', 3], Object.keys(SourceConfig.shape)],
  [['providers', 'any'], Object.keys(ProviderConfig.shape)],
  [['prices', 'a/b'], Object.keys(PriceConfig.shape)],
  [['models'], ['builder', 'reviewerA', 'reviewerB', 'judge']],
  [
    ['sources', 0, 'hub'],
    ['repo', 'revision', 'include'],
  ],
  [['name'], []],
  [['nowhere', 1], []],
])('the fields known at %j are those of the schema', (path, names) => {
  expect(knownNames(path)).toEqual(expect.arrayContaining([...names]));
  expect(knownNames(path)).toHaveLength(names.length);
});

it('knows the newer fields', () => {
  expect(knownNames(['providers', 'x'])).toContain('schemaBounds');
  expect(knownNames([])).toEqual(expect.arrayContaining(['reviewPort', 'testShare', 'prices']));
});
