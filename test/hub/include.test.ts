import { describe, expect, it } from 'vitest';
import { includeOf, isIncluded } from '../../hub/pull/include.ts';
import { SourceConfig } from '../../schemas/config.ts';

describe('default patterns', () => {
  it.each<[SourceConfig['adapter'], Record<string, unknown>, readonly string[], readonly string[]]>([
    ['ultrachat', {}, ['data/train_sft-00000-of-00003-a.parquet'], ['data/train_gen-00000-of-00003.parquet', 'data/test_sft-0.parquet']],
    [
      'stackexchange',
      {},
      ['data/Stackoverflow.com/data-00000.parquet'],
      ['data/Stackoverflow.com.meta/x.parquet', 'data/ai.stackexchange.com/x.parquet'],
    ],
    [
      'stackexchange',
      { site: 'ai' },
      ['data/ai.stackexchange.com/x.parquet'],
      ['data/ai.meta.stackexchange.com/x.parquet', 'data/Stackoverflow.com/x.parquet'],
    ],
    ['apps', {}, ['all/train/0000.parquet', 'all/partial-train/0000.parquet'], ['all/test/0000.parquet', 'introductory/x/train/0.parquet']],
    ['oasst1', {}, ['data/train-00000-of-00001-b42.parquet'], ['data/validation-00000.parquet', '2023-04-12_oasst_all.trees.jsonl.gz']],
    ['magicoder', {}, ['data-oss_instruct-decontaminated.jsonl'], ['README.md']],
    ['healthcaremagic', {}, ['data/train-00000-of-00001.parquet'], ['README.md', 'data/test-0.parquet']],
    ['meddialog', {}, ['data/train-00000-of-00001.parquet', 'default/train/0000.parquet'], ['data/validation-0.parquet']],
  ])('of %s %j', (adapter, change, yes, no) => {
    const patterns = includeOf(SourceConfig.parse({ name: 'a', adapter, hub: { repo: 'a/b' }, ...change }));
    expect(yes.filter((path) => !isIncluded(path, patterns))).toEqual([]);
    expect(no.filter((path) => isIncluded(path, patterns))).toEqual([]);
  });
});
