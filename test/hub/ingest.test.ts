import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IngestParams, type SourceFacts } from '../../hub/ingest.ts';
import { ingestSources, type IngestResult } from '../support/ingest-rows.ts';
import { Candidate } from '../../schemas/candidate.ts';
import { SourceConfig, type ADAPTERS } from '../../schemas/config.ts';
import { DOMAINS } from '../../schemas/levels.ts';
import { RowRejection } from '../../schemas/source-row.ts';

const DEMO = resolve(import.meta.dirname, '../../datasets/demo/rows');
const SHARED = resolve(process.env['MEMCALIB_SHARED'] ?? resolve(import.meta.dirname, '../../../shared'), 'data/sources');

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memcalib-ingest-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const params = (baseDir: string, change: Partial<IngestParams> = {}): IngestParams => ({
  baseDir,
  sourcesDir: join(baseDir, 'sources'),
  seed: 'test',
  nearDuplicateJaccard: 0.8,
  minQualityScore: 60,
  identifiers: 'mask',
  ...change,
});
const source = (
  name: string,
  adapter: (typeof ADAPTERS)[number],
  path: string | string[],
  change: Partial<SourceConfig> = {},
): SourceConfig => ({
  ...SourceConfig.parse({ name, adapter, path }),
  ...change,
});
const demoSources = (): SourceConfig[] =>
  (
    [
      ['meddialog', 'meddialog.jsonl'],
      ['healthcaremagic', 'healthcaremagic.jsonl'],
      ['ultrachat', 'ultrachat.json'],
      ['oasst1', 'oasst1.jsonl'],
      ['oasst2', 'oasst2.trees.jsonl'],
      ['magicoder', 'magicoder.csv'],
      ['apps', 'apps.jsonl'],
      ['stackexchange', 'stackexchange.jsonl'],
    ] as const
  ).map(([adapter, path]) => source(`demo-${adapter}`, adapter, path, { licence: 'CC0-1.0' }));

/** The demo sources with MedDialog in these files. */
const withFiles = (files: string[]): SourceConfig[] =>
  demoSources().map((item) => (item.adapter === 'meddialog' ? { ...item, path: files } : item));

/** All that is stored of an order, as one text. */
function bytesOf(result: IngestResult): string {
  const candidates = DOMAINS.flatMap((domain) => [...result.candidates(domain)].flat());
  return JSON.stringify({ id: result.orderId, facts: result.facts, candidates, rejections: [...result.rejections()].flat() });
}

/** One line of the books: rows read, merged, candidates, and rejections by reason. */
function bookOf(item: SourceFacts): string {
  const reasons = Object.entries(item.rejected).map(([reason, count]) => `${reason} ${count}`);
  return `${item.name}: ${item.rowsRead} rows - ${item.merged} merged = ${item.candidates} candidates + ${reasons.join(', ') || 'no rejections'}`;
}

function unaccounted(result: IngestResult): readonly string[] {
  return result.facts.sources
    .filter((item) => item.rowsRead !== item.merged + item.candidates + Object.values(item.rejected).reduce((a, b) => a + b, 0))
    .map((item) => item.name);
}

describe('the demo rows', () => {
  it('give at least 96 candidates, 12 a source, and a dozen reasons; every row is accounted for', async () => {
    const result = await ingestSources(demoSources(), params(DEMO));
    expect(unaccounted(result)).toEqual([]);
    for (const item of result.facts.sources) expect(item.candidates).toBeGreaterThanOrEqual(12);
    const reasons = new Set(result.facts.sources.flatMap((item) => Object.keys(item.rejected)));
    expect(reasons.size).toBeGreaterThanOrEqual(12);
    const rejections = [...result.rejections()].flat();
    const candidates = DOMAINS.flatMap((domain) => [...result.candidates(domain)].flat());
    for (const item of candidates) expect(Candidate.safeParse(item).error?.issues ?? []).toEqual([]);
    for (const item of rejections) expect(RowRejection.safeParse(item).success).toBe(true);
    expect(new Set(candidates.map((item) => item.id)).size).toBe(candidates.length);
    expect(candidates.filter((item) => item.row.sourceLicense !== 'CC0-1.0')).toEqual([]);
  });

  it('are rejected for their identifiers under the policy `reject`, one reason more', async () => {
    const result = await ingestSources(demoSources(), params(DEMO, { identifiers: 'reject' }));
    expect([...result.rejections()].flat().filter((item) => item.reason === 'personal_identifier')).toHaveLength(1);
  });

  it('give the same order byte for byte with sources, files and lines in another order', async () => {
    const first = join(folder, 'one');
    const second = join(folder, 'two');
    await cp(DEMO, first, { recursive: true });
    await cp(DEMO, second, { recursive: true });
    const lines = (await readFile(join(DEMO, 'meddialog.jsonl'), 'utf8')).trim().split('\n');
    for (const at of [first, second]) {
      await writeFile(join(at, 'meddialog-b.jsonl'), lines.slice(8).join('\n'));
      await writeFile(join(at, 'meddialog.jsonl'), lines.slice(0, 8).join('\n'));
    }
    const one = await ingestSources(withFiles(['meddialog.jsonl', 'meddialog-b.jsonl']), params(first));
    const two = await ingestSources(withFiles(['meddialog-b.jsonl', 'meddialog.jsonl']).reverse(), params(second));
    expect(bytesOf(two)).toBe(bytesOf(one));
  });

  it('keep their id with stored weights, whatever quota is set later, and lose it with another seed or content', async () => {
    const one = await ingestSources(demoSources(), params(DEMO));
    const withQuota = demoSources().map((item) => ({ ...item, quota: item.adapter === 'apps' ? 1 : 5 }));
    const stored = await ingestSources(withQuota, params(DEMO, { weights: one.weights }));
    expect(bytesOf(stored)).toBe(bytesOf(one));
    expect((await ingestSources(withQuota, params(DEMO))).orderId).not.toBe(one.orderId);
    expect((await ingestSources(demoSources(), params(DEMO, { seed: 'other' }))).orderId).not.toBe(one.orderId);
  });
});

describe('bad input', () => {
  const good = {
    problem:
      'Write a Python 3.9 function that takes a list of at most 100 integers and returns the two largest, because our old server must not sort it.',
    solution:
      'Walk once over the list and keep the two largest values seen so far.\n\n```python\ndef two_largest(values):\n    return values\n```',
    lang: 'python',
  };

  it('rejects each bad row with its file and row, and goes on', async () => {
    const lines = [
      JSON.stringify({ ...good, raw_index: 1, index: 1 }),
      '{"problem":',
      JSON.stringify({ text: 'x' }),
      JSON.stringify({ ...good, raw_index: 2, index: 2, problem: '' }),
      '{"lang":"a","lang":"b"}',
      JSON.stringify({ ...good, raw_index: 1, index: 1, problem: `${good.problem} Explain each step of it as well.` }),
    ];
    await writeFile(join(folder, 'bad.jsonl'), `\uFEFF${lines.join('\r\n')}\r\n`);
    const result = await ingestSources([source('bad', 'magicoder', 'bad.jsonl')], params(folder));
    expect(
      [...result.rejections()]
        .flat()
        .map((item) => [item.origin.file, item.origin.row, item.reason])
        .filter(([, row]) => row !== 1 && row !== 6),
    ).toEqual([
      ['bad.jsonl', 2, 'malformed_json'],
      ['bad.jsonl', 3, 'wrong_columns'],
      ['bad.jsonl', 4, 'missing_question'],
      ['bad.jsonl', 5, 'duplicate_key'],
    ]);
    expect(result.facts.sources[0]).toMatchObject({ rowsRead: 6, candidates: 1, rejected: { duplicate_id: 1 } });
    expect(unaccounted(result)).toEqual([]);
  });

  it('mends lone surrogates and never lets row text into a rejection', async () => {
    const row = { ...good, problem: `${good.problem} SECRETWORD \ud800`, solution: 'x', raw_index: 1, index: 1 };
    await writeFile(
      join(folder, 'surrogate.jsonl'),
      `${JSON.stringify(row)}\n${JSON.stringify({ ...good, problem: `${good.problem} \ud800 end`, raw_index: 2, index: 2 })}\n`,
    );
    const result = await ingestSources([source('odd', 'magicoder', 'surrogate.jsonl')], params(folder));
    expect(JSON.stringify([...result.rejections()])).not.toContain('SECRETWORD');
    const [[candidate] = []] = [...result.candidates('coding')];
    expect(candidate?.row.question).toContain('\uFFFD end');
  });

  it('refuses an empty source and a missing file with a sentence', async () => {
    await writeFile(join(folder, 'empty.jsonl'), '\n');
    await expect(ingestSources([source('empty', 'apps', 'empty.jsonl')], params(folder))).rejects.toThrow(
      /Source empty holds no rows \(empty\.jsonl\)/,
    );
    await expect(ingestSources([source('gone', 'apps', 'gone.jsonl')], params(folder))).rejects.toThrow(/Source gone: nothing to read/);
  });

  it('takes a source with one row, and keeps oasst2 from repeating a tree of oasst1', async () => {
    await cp(join(DEMO, 'oasst1.jsonl'), join(folder, 'oasst.jsonl'));
    const result = await ingestSources(
      [source('first', 'oasst1', 'oasst.jsonl'), source('second', 'oasst2', 'oasst.jsonl')],
      params(folder),
    );
    const [first, second] = result.facts.sources;
    expect((first?.candidates ?? 0) + (second?.candidates ?? 0)).toBe(12);
    expect((first?.rejected['duplicate_group'] ?? 0) + (second?.rejected['duplicate_group'] ?? 0)).toBe(12);
    expect(unaccounted(result)).toEqual([]);
  });
});

describe.skipIf(!existsSync(SHARED))('all real rows under shared/data (skipped where that folder is absent: set MEMCALIB_SHARED)', () => {
  it('are accounted for, source by source', { timeout: 60_000 }, async () => {
    const result = await ingestSources(
      [
        source('meddialog', 'meddialog', 'meddialog/ai_medical_chatbot.jsonl'),
        source('icliniq', 'icliniq', 'icliniq/lasseregin_icliniqQAs.jsonl'),
        source('icliniq-chatdoctor', 'icliniq', 'icliniq/chatdoctor_readme_example.jsonl'),
        source('hcm-twin', 'healthcaremagic', 'healthcaremagic/format_twin_genmedgpt5k.jsonl'),
        source('oasst-flat', 'oasst1', 'oasst/messages_flat.derived.jsonl'),
        source('oasst-trees', 'oasst2', 'oasst/en_trees.jsonl'),
        source('stackexchange', 'stackexchange', 'stackexchange/ai_h4shape.jsonl'),
        source('apps', 'apps', 'apps/apps_train.jsonl'),
        source('mapcoder', 'apps', 'apps/mapcoder_selected150.jsonl', { split: 'test' }),
        source('ultrachat', 'ultrachat', 'ultrachat/ultrachat_200k_two_rows.jsonl'),
        source('magicoder', 'magicoder', 'magicoder/oss_instruct_one_row.jsonl'),
      ],
      params(SHARED),
    );
    expect(unaccounted(result)).toEqual([]);
    await expect(`${result.facts.sources.map(bookOf).join('\n')}\n`).toMatchFileSnapshot('../real/accepted-and-rejected.txt');
    const masked = result.facts.sources.map(
      (item) =>
        `${item.name}: ${
          Object.entries(item.masked)
            .map(([kind, count]) => `${kind} ${count}`)
            .join(', ') || 'none'
        }`,
    );
    await expect(`${masked.join('\n')}\n`).toMatchFileSnapshot('../real/identifiers-masked.txt');
  });
});
