import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { ingestSources } from '../support/ingest-rows.ts';
import { SourceConfig, type ADAPTERS } from '../../schemas/config.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

/** `row:reason` of every rejection of a source in one file, and the number of candidates; every row must be one or the other. */
async function fate(adapter: (typeof ADAPTERS)[number], file: string, content: string | null, at = folder()): Promise<readonly string[]> {
  if (content !== null) writeFileSync(join(at, file), content);
  const result = await ingestSources([SourceConfig.parse({ name: 'hostile', adapter, path: '.' })], {
    baseDir: at,
    sourcesDir: join(at, 'sources'),
    seed: 'a',
    nearDuplicateJaccard: 0.8,
    minQualityScore: 60,
    identifiers: 'mask',
  });
  const rejections = [...result.rejections()].flat();
  const [facts] = result.facts.sources;
  expect(facts?.rowsRead).toBe(rejections.length + (facts?.candidates ?? 0) + (facts?.merged ?? 0));
  expect(rejections.every(({ origin, detail }) => origin.file === file && detail.length < 300)).toBe(true);
  result.close();
  return [...rejections.map(({ origin, reason }) => `${origin.row}:${reason}`), `${facts?.candidates ?? 0} candidates`];
}

const lines = (...rows: readonly unknown[]): string => rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
let qid = 0;
const post = (
  question: string,
  answer = '<p>Raise the limit in the settings of your server, then start it again and look at the log.</p>',
): unknown => ({
  qid: (qid += 1),
  question,
  answers: [
    { answer_id: qid, author: 'A', author_id: 5, author_profile: 'https://x.com/users/5/a', pm_score: 1, selected: true, text: answer },
  ],
  date: '2016/08/02',
  metadata: ['https://ai.stackexchange.com/questions/1', 'https://ai.stackexchange.com', 'https://ai.stackexchange.com/users/4/b'],
});
const good =
  '<p>My Flask 0.10 app on Ubuntu crashes since I moved it behind nginx, because large uploads fail. I must not change the server. How can I fix this error?</p>';
const task = (index: number, problem: string): unknown => ({
  index,
  raw_index: index,
  lang: 'python',
  problem,
  solution: 'Walk once over the list and keep the two largest values seen so far, then return both of them.',
});

describe('rows that nobody expects are rejected with their place, and those beside them stay', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'HTML without depth or end',
      lines(post('<div>'.repeat(9000) + good), post('<ul><li><b>'.repeat(3000)), post('<'.repeat(30_000)), post(good)),
      ['1:markup_too_deep', '2:markup_too_deep', '3:markup_too_deep', '1 candidates'],
    ],
    [
      'a line of 5 MB, and one of blanks',
      lines(post(`<p>${'word '.repeat(1_000_000)}</p>`), post(good, ' '.repeat(2_000_000)), post(good)),
      ['1:text_too_long', '2:missing_answer', '1 candidates'],
    ],
    [
      'a fence that never ends',
      lines(post(good, '`'.repeat(90_000)), post(`<p>${'~'.repeat(50_000)}</p>`), post(good)),
      ['1:markup_too_deep', '2:markup_too_deep', '1 candidates'],
    ],
    [
      'JSON of 100,000 levels',
      lines(`{"qid":1,"question":"x","answers":${nested(100_000)}}`, `{"zz":${nested(100_000)}}`, post(good)),
      ['1:nested_too_deep', '2:nested_too_deep', '1 candidates'],
    ],
    [
      'columns of other types',
      lines(
        ...[null, 0, true, [], {}, ['x']].map((value) => ({ qid: value, question: value, answers: value, metadata: value, date: value })),
        post(good),
      ),
      [...[1, 2, 3, 4, 5, 6].map((row) => `${row}:missing_site`), '1 candidates'],
    ],
    [
      'no rows at all among rows',
      lines('null', '[]', '"x"', '1e999', '{"__proto__":{"qid":1}}', post(good)),
      ['1:not_an_object', '2:not_an_object', '3:not_an_object', '4:not_an_object', '5:wrong_columns', '1 candidates'],
    ],
  ])('%s', async (_name, content, expected) => {
    expect(await fate('stackexchange', 'posts.jsonl', content)).toEqual(expected);
  });

  it('right-to-left text, emoji and direction marks', async () => {
    const asked =
      'I maintain an old Python 3.9 service. Write a function that takes a list of at most 100 integers and returns the two largest.';
    expect(
      await fate(
        'magicoder',
        'rows.jsonl',
        lines(
          task(1, 'مرحبا كيف يمكنني إصلاح هذا الخطأ في بايثون لدي مشكلة كبيرة هنا اليوم'),
          task(2, asked + ' 😀'.repeat(300)),
          task(3, `\u202E${asked}\u202C`),
        ),
      ),
    ).toEqual(['1:non_english', '2:noise', '1 candidates']);
  });

  it('an array with a trailing comma, and a CSV with nothing but its header beside it', async () => {
    const at = folder();
    writeFileSync(join(at, 'empty.csv'), 'problem,solution,lang\n');
    expect(await fate('ultrachat', 'rows.json', '[{"prompt":"x"},{"prompt":"y"},]', at)).toEqual([
      '1:wrong_columns',
      '2:wrong_columns',
      '0 candidates',
    ]);
  });

  it('a Parquet file whose columns have other types', async () => {
    const at = folder();
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(
      `COPY (SELECT 'abc'::BLOB AS problem, [1, 2] AS solution, {'a': 1} AS lang, MAP {'x': 1} AS index, 'NaN'::DOUBLE AS raw_index, INTERVAL 1 DAY AS zz
             UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL) TO '${join(at, 'rows.parquet')}'`,
    );
    connection.closeSync();
    instance.closeSync();
    expect(await fate('magicoder', 'rows.parquet', null, at)).toEqual(['1:missing_answer', '2:missing_question', '0 candidates']);
  });

  it.each(['meddialog', 'healthcaremagic', 'icliniq', 'ultrachat', 'magicoder', 'apps', 'oasst1', 'oasst2'] as const)(
    '%s with every column of every wrong type',
    async (adapter) => {
      const names =
        'Description Patient Doctor instruction input output answer_icliniq question question_text answer prompt prompt_id messages data problem solution lang problem_id solutions starter_code message_id parent_id text role message_tree_id replies patient_message doctor_response dialogue_turns utterances tags rank index raw_index labels'.split(
          ' ',
        );
      const rows = [null, 0, true, [], {}, '', ['x'], { a: 1 }].map((value) => Object.fromEntries(names.map((name) => [name, value])));
      const ends = await fate(adapter, 'rows.jsonl', lines(...rows));
      expect(ends.at(-1)).toBe('0 candidates');
      expect(ends.length).toBeGreaterThan(rows.length / 2);
    },
  );
});
