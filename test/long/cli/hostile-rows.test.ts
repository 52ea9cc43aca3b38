import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT } from '../../../cli/cli-error.ts';
import type { ConfigInput } from '../../../schemas/config.ts';
import { askingServer, makeProject } from '../../support/project.ts';
import type { TestProject } from '../../support/project.ts';

const DEMO = resolve(import.meta.dirname, '../../../datasets/demo/rows');
const folder = mkdtempSync(join(tmpdir(), 'memcalib-hostile-'));
const projects: TestProject[] = [];

afterAll(async () => {
  for (const project of projects) await project.cleanUp();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function project(config: Partial<ConfigInput>): TestProject {
  const made = makeProject({ construction: { chunkSize: 10, window: 2 }, ...config });
  projects.push(made);
  return made;
}

const source = (name: string, path: string, more: Partial<ConfigInput['sources'][number]> = {}): ConfigInput['sources'][number] => ({
  name,
  adapter: 'meddialog',
  path,
  licence: 'CC0-1.0',
  ...more,
});

const GOOD = readFileSync(join(DEMO, 'meddialog.jsonl'), 'utf8').trimEnd().split('\n');
const [FIRST = '', SECOND = '', THIRD = ''] = GOOD;

/** Lines of a file with one row of every kind of trouble; the comment says what becomes of each. */
const HOSTILE: readonly (readonly [line: string, reason: string | null])[] = [
  [FIRST, null],
  ['{"patient_message": "breaks off', 'malformed_json'],
  ['[1, 2]', 'not_an_object'],
  [JSON.stringify({ colour: 'blue', size: 3 }), 'wrong_columns'],
  [SECOND.replace(/\}$/, `,"note":"${'x'.repeat(5 * 1024 * 1024)}"}`), null],
  [THIRD.replace(/\}$/, String.raw`,"note":"lone \ud83d surrogate"}`), null],
  [FIRST, 'duplicate'],
  [JSON.stringify({ patient_message: '\u0000\uFFFF'.repeat(20), doctor_response: 'Hm.' }), 'any'],
];

describe('a build over hostile rows', () => {
  let hostile: TestProject;
  let built: { readonly code: number | null; readonly output: string };

  beforeAll(async () => {
    const lines = `\uFEFF${HOSTILE.map(([line]) => line).join('\r\n')}\r\n`;
    hostile = project({
      target: { health: 500, general: 0, coding: 0 },
      sources: [
        source('hostile', file('hostile.jsonl', lines)),
        source('one', file('one.jsonl', `${GOOD[3] ?? ''}\n`)),
        source('none', file('none.jsonl', '{"broken"\n')),
      ],
    });
    built = await hostile.run('build');
  }, 300_000);

  test('ends dry: BOM, CRLF, a 5 MB line, a lone surrogate and a source of one row do no harm, and every bad row is counted', () => {
    expect(built.code, built.output).toBe(EXIT.dry);
    expect(built.output).toMatch(/malformed_json 2/);
    expect(built.output).toMatch(/not_an_object 1/);
    expect(built.output).toMatch(/wrong_columns 1/);
    expect(built.output).toMatch(/Books balance/);
    expect(built.output).toMatch(/The sources ran dry: health \d+ of 500/);
  });

  test('exports a valid dataset whose rejections name the line of each bad row', { timeout: 120_000 }, async () => {
    const out = join(folder, 'out');
    const exported = await hostile.run('export', out);
    expect(exported.code, exported.output).toBe(EXIT.ok);
    const rejected = readFileSync(join(out, 'rejected.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; reason: string });
    const bad = HOSTILE.flatMap(([, reason], index) =>
      reason === 'malformed_json' || reason === 'wrong_columns' ? [{ reason, line: index + 1 }] : [],
    );
    for (const { reason, line } of bad) {
      const found = rejected.find((item) => item.reason === reason && item.id.endsWith(`hostile.jsonl:${line}`));
      expect(found, `${reason} in line ${line}`).toBeDefined();
      const why = await hostile.run('why', found?.id ?? '', '--not');
      expect(why.output).toMatch(new RegExp(`set_aside[\\s\\S]*hostile\\.jsonl row ${line}[\\s\\S]*${reason}`));
    }
    expect(rejected.some(({ reason }) => reason.includes('duplicate'))).toBe(true);
    const text = readFileSync(join(out, 'train.jsonl'), 'utf8') + readFileSync(join(out, 'rejected.jsonl'), 'utf8');
    expect(text).not.toMatch(/breaks off|\\ud83d(?!\\ud)/);
  });
});

describe('a source that cannot be read at all is one sentence, exit 4, and nothing is asked', () => {
  test.each<[string, () => ConfigInput['sources'][number], RegExp]>([
    [
      'a missing file',
      () => source('gone', join(folder, 'nowhere.jsonl')),
      /Source gone: nothing to read at .*nowhere\.jsonl; correct `path`/,
    ],
    ['an empty source', () => source('empty', file('empty.jsonl', '')), /Source empty holds no rows/],
    ['a format nobody reads', () => source('text', file('rows.txt', 'hello')), /Source text: .*rows\.txt is none of/],
    ['a parquet file that is none', () => source('parquet', file('rows.parquet', 'PAR1 hello')), /cannot be read to its end/],
  ])('%s', { timeout: 200_000 }, async (_, made, reads) => {
    const { code, output } = await project({ sources: [made()] }).run('build');
    expect(output).toMatch(reads);
    expect(output).not.toMatch(/\n\s+at |internal error/);
    expect(code).toBe(EXIT.environment);
  });

  test('an endpoint that nobody answers', { timeout: 300_000 }, async () => {
    const models = askingServer('http://127.0.0.1:9/v1', 2);
    const { code, output } = await project({
      ...models,
      providers: { server: { baseUrl: 'http://127.0.0.1:9/v1', structuredOutput: 'auto', timeoutSeconds: 5 } },
    }).run('build');
    expect(output).toMatch(/The endpoint server \(http:\/\/127\.0\.0\.1:9\/v1\) gave no usable reply.*doctor --endpoints/);
    expect(code).toBe(EXIT.environment);
  });

  test('a store that another process holds names what to look for', { timeout: 200_000 }, async () => {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const held = project({});
    const { mkdirSync } = await import('node:fs');
    mkdirSync(held.folder, { recursive: true });
    const instance = await DuckDBInstance.create(join(held.folder, 'memcalib.duckdb'));
    try {
      const { code, output } = await held.run('status');
      expect(output).toMatch(/is held by another process|locked|held by/i);
      expect(output).not.toMatch(/\n\s+at |internal error/);
      expect(code).toBe(EXIT.environment);
    } finally {
      instance.closeSync();
    }
  });
});
