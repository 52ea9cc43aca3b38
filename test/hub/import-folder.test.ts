import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importFolder } from '../../hub/import-folder.ts';
import { readExport } from '../../hub/read-export.ts';
import { sampleRecords } from '../support/sample-export.ts';
import { tempFolders } from '../support/temp-folder.ts';

const newFolder = tempFolders();

function published(lines: readonly string[]): string {
  const folder = newFolder();
  writeFileSync(join(folder, 'train.jsonl'), lines.map((line) => `${line}\n`).join(''));
  return folder;
}

const good = sampleRecords()
  .filter(({ split }) => split === 'train')
  .map((record) => JSON.stringify(record));

describe('importFolder', () => {
  test('writes what it sets aside to the quarantine file, with file, line, rules and the record as it was', async () => {
    const folder = published([good[0] ?? '', '{"id": "torn', JSON.stringify({ id: 'x', question: 'q' }), good[1] ?? '']);
    const kept: string[] = [];
    const quarantine = join(folder, 'quarantine.jsonl');
    const report = await importFolder(folder, quarantine, { keep: ({ id }) => void kept.push(id) });
    expect(kept).toHaveLength(2);
    expect(report).toMatchObject({ ok: false, recordsInViolation: 2 });
    const entries = readFileSync(quarantine, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries).toEqual([
      {
        file: 'train.jsonl',
        line: 2,
        id: null,
        violations: [{ rule: 'line_is_json', detail: 'not one JSON value' }],
        record: '{"id": "torn',
      },
      expect.objectContaining({ file: 'train.jsonl', line: 3, id: 'x', record: { id: 'x', question: 'q' } }),
    ]);
  });

  test('leaves no quarantine file when nothing is set aside', async () => {
    const folder = published(good);
    expect((await importFolder(folder, join(folder, 'quarantine.jsonl'))).ok).toBe(true);
    expect(readdirSync(folder)).toEqual(['train.jsonl']);
  });

  test('strict stops at the first such record, naming file, line and rule', async () => {
    const folder = published([good[0] ?? '', good[0] ?? '']);
    const attempt = importFolder(folder, join(folder, 'quarantine.jsonl'), { strict: true });
    await expect(attempt).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^train\.jsonl:2 .*ids_unique_over_splits/),
    });
    expect(readdirSync(folder)).toEqual(['train.jsonl']);
  });
});

describe('readExport', () => {
  test.each([
    ['a folder that is not there', join('/nowhere', 'export'), 'missing'],
    ['a file', import.meta.filename, 'missing'],
    ['a folder without a dataset', import.meta.dirname, 'not_an_export'],
  ])('refuses %s', async (_, folder, code) => {
    await expect(readExport(folder)).rejects.toMatchObject({ name: 'ExportError', code });
  });
});
