import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { SourcesReport } from '../../cli/commands/sources-report.ts';
import { forecastQuotas } from '../../datasets/quota-forecast.ts';
import type { SourceSection } from '../../datasets/source-report.ts';
import { runCommand } from '../support/run-command.ts';
import { tempFolders } from '../support/temp-folder.ts';

vi.setConfig({ testTimeout: 60_000 });
const folder = tempFolders();
const DEMO = resolve(import.meta.dirname, '../../datasets/demo/rows');
const good = {
  problem:
    'I maintain an old Python 3.9 service. Write a function that takes a list of at most 100 integers and returns the two largest, because our server must not sort it.',
  solution:
    'Walk once over the list and keep the two largest values seen so far.\n\n```python\ndef two_largest(values):\n    return values\n```',
  lang: 'python',
};
const MARKUP = '<script>fetch("http://127.0.0.1:9/x")</script><img src=x onerror=alert(1)>';

function project(): string {
  const at = folder();
  const rows = [
    { ...good, raw_index: 1, index: 1 },
    { ...good, raw_index: 2, index: 2 },
    {
      ...good,
      raw_index: 3,
      index: 3,
      solution: 'too short',
      problem: `${good.problem} Write to anna.berg@example-mail.de ${MARKUP}`,
    },
    { ...good, raw_index: 4, index: 4, problem: '' },
  ];
  writeFileSync(join(at, 'magicoder.jsonl'), `${rows.map((row) => JSON.stringify(row)).join('\n')}\n{"broken\n`);
  const sources = [
    { name: 'mc', adapter: 'magicoder', path: 'magicoder.jsonl' },
    { name: 'demo-med', adapter: 'meddialog', path: join(DEMO, 'meddialog.jsonl'), licence: 'CC0-1.0' },
    { name: 'demo-oasst', adapter: 'oasst1', path: join(DEMO, 'oasst1.jsonl'), licence: 'CC0-1.0' },
  ];
  writeFileSync(join(at, 'c.json'), JSON.stringify({ name: 'report', target: { health: 1, general: 900, coding: 1 }, sources }));
  return at;
}
const run = (at: string, ...args: readonly string[]): ReturnType<typeof runCommand> =>
  runCommand(['sources', ...args, '--config', 'c.json'], at);

describe('memcalib sources report', () => {
  it('accounts for every row by source, stage and reason, with examples whose identifiers are masked', async () => {
    const at = project();
    const report = JSON.parse((await run(at, 'report', '--json')).stdout) as SourcesReport;
    expect(report.unaccounted).toBe(0);
    const mc = report.sources.find((source) => source.name === 'mc');
    expect(
      mc?.stages.map(({ stage, in: entered, accepted, rejected }) => [
        stage,
        entered,
        accepted,
        Object.fromEntries(Object.entries(rejected).map(([reason, { count }]) => [reason, count])),
      ]),
    ).toEqual([
      ['read', 5, 3, { malformed_json: 1, missing_question: 1 }],
      ['screening', 3, 2, { answer_too_short: 1 }],
      ['duplicates', 2, 1, { exact_duplicate: 1 }],
    ]);
    const [example] = mc?.stages[1]?.rejected['answer_too_short']?.examples ?? [];
    expect(example).toMatchObject({ file: 'magicoder.jsonl', row: 3 });
    expect(example?.text).toContain('[email]');
    expect(JSON.stringify(report)).not.toContain('anna.berg');
    expect(report.clusters.sizes['2 rows']).toBeGreaterThanOrEqual(1);
    for (const source of report.sources) {
      for (const shape of [source.before, source.after])
        for (const counts of [shape.questionLength, shape.answerLength, shape.topic, shape.complexity])
          expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(shape.rows);
      expect(source.after.rows).toBe(source.candidates);
      expect(Object.values(source.licences).reduce((sum, count) => sum + count, 0)).toBe(source.candidates);
    }
    expect(report.forecast.map((item) => [item.domain, item.isDry])).toEqual([
      ['health', false],
      ['general', true],
      ['coding', true],
    ]);
  });

  it('prints tables, the forecast with its lever, and the next command', async () => {
    const { stdout, code } = await run(project(), 'report');
    expect(code).toBe(0);
    expect(stdout).toContain('Every row is a candidate, a rejection or part of another row.');
    expect(stdout).toMatch(
      /general will run dry at about \d+ of 900 \(\d+ candidates; a yield of 20 % is assumed until 50 candidates have been judged\); the lever is/,
    );
    expect(stdout).toContain('memcalib sources show ID --config c.json');
  });

  it('writes one page without scripts or requests, markup of rows as text', async () => {
    const at = project();
    await run(at, 'report', '--html', 'report.html');
    const html = readFileSync(join(at, 'report.html'), 'utf8');
    expect(html).toContain('&lt;script&gt;fetch(');
    expect(html).not.toMatch(/<script|<img|<link|<iframe|@import|url\(|<[^>]*\s(?:src|href|on\w+)=/i);
    expect(html).toContain("default-src 'none'");
  });
});

describe('memcalib sources show', () => {
  it.each<[string, string, RegExp]>([
    [
      'a source id',
      'magicoder-oss:1:1',
      /passes deterministic screening[\s\S]*quality score \d+: question \d+ of 25, answer \d+ of 25, memory suitability \d+ of 40, cleanliness \d+ of 10\ntopic \w+\ncomplexity \w+\nmemory signals \w+/,
    ],
    ['a place', 'magicoder.jsonl:3', /falls out: answer_too_short: [\s\S]*identifiers masked email 1[\s\S]*\[email\]/],
    ['a row that no adapter could read', 'magicoder.jsonl:5', /falls out while reading: malformed_json/],
  ])('shows a row by %s', async (_name, id, expected) => {
    const end = await run(project(), 'show', id);
    expect(end.stdout).toMatch(expected);
    expect(end.stdout).not.toContain('anna.berg');
  });

  it('keeps the raw row beside the cleaned one, identifiers and all, and shows it only when asked', async () => {
    const at = project();
    const cleaned = JSON.parse((await run(at, 'show', 'magicoder.jsonl:3', '--json')).stdout) as { row: { question: string } };
    expect(cleaned.row.question).toContain('[email]');
    const raw = JSON.parse((await run(at, 'show', 'magicoder.jsonl:3', '--raw')).stdout) as unknown;
    expect(raw).toEqual(JSON.parse(readFileSync(join(at, 'magicoder.jsonl'), 'utf8').split('\n')[2] ?? ''));
    expect(JSON.stringify(raw)).toContain('anna.berg@example-mail.de');
    const end = await run(at, 'show', 'magicoder.jsonl:5', '--raw');
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('magicoder.jsonl row 5 cannot be read as a row')]);
  });

  it('shows by candidate id what the report names, and refuses an id that is none', async () => {
    const at = project();
    const report = JSON.parse((await run(at, 'report', '--json')).stdout) as SourcesReport;
    const id = report.sources.find((source) => source.name === 'mc')?.stages[2]?.rejected['exact_duplicate']?.examples[0]?.id ?? '';
    expect((await run(at, 'show', id)).stdout).toMatch(new RegExp(`^${id}  magicoder-oss:`));
    const end = await run(at, 'show', 'nothing');
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('No row of the sources has the id nothing')]);
  });
});

describe('the forecast', () => {
  const section = (rejected: Record<string, number>, candidates: number): SourceSection => ({
    name: 'a',
    domain: 'coding',
    stages: [
      {
        stage: 'screening',
        in: 0,
        accepted: candidates,
        rejected: Object.fromEntries(Object.entries(rejected).map(([reason, count]) => [reason, { count, examples: [] }])),
      },
    ],
    before: { rows: 0, questionLength: {}, answerLength: {}, topic: {}, complexity: {} },
    after: { rows: candidates, questionLength: {}, answerLength: {}, topic: {}, complexity: {} },
    licences: {},
    masked: {},
  });
  const target = { health: 0, general: 0, coding: 3750 };
  it.each<[string, Record<string, number>, number, readonly [number, number] | null, RegExp]>([
    [
      'names the setting that alone closes the gap',
      { low_quality: 9000, near_duplicate: 100 },
      12_000,
      null,
      /^coding will run dry at about 2,400 of 3,750 .*the lever is a lower `screening\.minQualityScore` \(9,000 rows fell out as low_quality\)/,
    ],
    [
      'else how many more candidates are needed',
      { low_quality: 10 },
      12_000,
      null,
      /the lever is about 6,750 more candidates of the domain \(another source\), or target\.coding 2,400\./,
    ],
    [
      'uses the seen yield from 50 verdicts on',
      {},
      12_000,
      [40, 100],
      /^coding will reach its 3,750 \(12,000 candidates; 40 of 100 judged candidates were accepted\)/,
    ],
    ['and the assumed one before', {}, 12_000, [10, 49], /a yield of 20 % is assumed/],
  ])('%s', (_name, rejected, candidates, seen, expected) => {
    const yields = seen === null ? [] : [{ source: 'a', accepted: seen[0], verdicts: seen[1] }];
    expect(forecastQuotas(target, [section(rejected, candidates)], yields)[2]?.sentence).toMatch(expected);
  });
});
