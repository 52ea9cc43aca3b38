import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderCard, type CardFacts } from '../../stages/card.ts';
import { ExportCounter } from '../../stages/export-counts.ts';
import { CARD_FACTS, REJECTED, sampleRecords } from '../support/sample-export.ts';

function facts(over: Partial<CardFacts> = {}): CardFacts {
  const counter = new ExportCounter();
  for (const record of sampleRecords()) counter.addRecord(record.split ?? 'train', record);
  for (const line of REJECTED) counter.addRejected(line);
  return { ...CARD_FACTS, counts: counter.counts(), ...over };
}

function frontMatter(card: string): Record<string, unknown> {
  return parse(/^---\n([\s\S]*?)\n---\n/.exec(card)?.[1] ?? '') as Record<string, unknown>;
}

describe('renderCard', () => {
  test('begins with the front matter the hub reads', () => {
    expect(frontMatter(renderCard(facts()))).toEqual({
      pretty_name: 'sample',
      license: 'cc0-1.0',
      language: ['en'],
      task_categories: ['question-answering', 'text-generation'],
      tags: ['memory', 'personalization', 'calibration'],
      size_categories: ['n<1K'],
      configs: [
        {
          config_name: 'default',
          data_files: [
            { split: 'train', path: 'train.jsonl' },
            { split: 'test', path: 'test.jsonl' },
          ],
        },
      ],
    });
  });

  test.each([
    ['counts per domain and level', '| coding | 2 | 2 | 2 | 2 |'],
    ['totals', '| all | 6 | 8 | 4 | 6 |'],
    ['actions', '| correct | 1 |'],
    ['sources', '| demo/handwritten | 6 |'],
    ['licences', '| demo/handwritten | r1 | CC0-1.0 | 6 | none asked |'],
    ['models', '| reviewerB | other | reader-2 |'],
    ['step versions', '| screen | cccccccccccccccc |'],
    ['rejections', '| screen | needs_review | 1 |'],
    ['pipeline hash and seed', `Pipeline hash \`${CARD_FACTS.pipelineHash}\`, seed \`seed-1\``],
  ])('states %s', (_, line) => {
    expect(renderCard(facts())).toContain(line);
  });

  test('a rehearsal says in its first lines that it is no data, and in its front matter', () => {
    const models = { ...CARD_FACTS.models, builder: { provider: 'rehearsal', model: 'rehearsal-1' } };
    const card = renderCard(facts({ rehearsal: true, models }));
    expect(card).toMatch(/---\n\n# sample\n\n> \*\*This is a rehearsal, not data\.\*\*.*`rehearsal-1`/);
    expect(frontMatter(card)).toMatchObject({ pretty_name: 'sample (rehearsal, not data)', tags: expect.arrayContaining(['rehearsal']) });
    expect(renderCard(facts())).not.toContain('rehearsal');
  });

  test('an unknown licence is refused unless allowed, and then stated', () => {
    const sources = [{ dataset: 'demo/handwritten', revision: 'r1', licences: ['MIT', 'unknown'], attributionRule: '' }];
    expect(() => renderCard(facts({ sources }))).toThrow(/demo\/handwritten is unknown.*--allow-unknown-licence/);
    expect(renderCard(facts({ sources, allowUnknownLicence: true }))).toContain('**Licence unknown** for rows of demo/handwritten');
  });

  test('rows of several licences are published as `other`, and a split without records is left out', () => {
    const counts = facts().counts;
    const card = renderCard(facts({ counts: { ...counts, records: { train: 6, test: 0 }, byLicence: { MIT: 1, 'CC0-1.0': 5 } } }));
    expect(frontMatter(card)).toMatchObject({ license: 'other', license_name: 'per-row-see-source-license' });
    expect(frontMatter(card)['configs']).toEqual([{ config_name: 'default', data_files: [{ split: 'train', path: 'train.jsonl' }] }]);
  });
});
