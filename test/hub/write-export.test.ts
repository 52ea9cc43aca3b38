import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeExport, type ExportParts } from '../../hub/write-export.ts';
import { renderCard } from '../../stages/card.ts';
import { exportErrorOf } from '../../hub/export-error.ts';
import { CARD_FACTS, sampleParts, sampleRecords } from '../support/sample-export.ts';
import { tempFolders } from '../support/temp-folder.ts';

const newFolder = tempFolders();
const FILES = ['README.md', 'manifest.json', 'provenance.jsonl', 'rejected.jsonl', 'run.json', 'test.jsonl', 'train.jsonl'];

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'write' });
}

/** Records that end in a failure after the first, as a full disk or a broken store would. */
function* failing(error: Error): Generator<ReturnType<typeof sampleRecords>[number]> {
  const [first] = sampleRecords();
  if (first !== undefined) yield first;
  throw error;
}

describe('writeExport', () => {
  test('writes the seven files, lists five with their hashes, and equal parts give equal bytes', async () => {
    const [one, two] = [join(newFolder(), 'deep', 'export'), join(newFolder(), 'export')];
    const { manifest } = await writeExport(one, sampleParts());
    await writeExport(two, { ...sampleParts(), run: { startedAt: 2 } });
    const [a, b] = [contents(one), contents(two)];
    expect(Object.keys(a).sort((x, y) => (x < y ? -1 : 1))).toEqual(FILES);
    expect(Object.keys(manifest.files)).toEqual(['train.jsonl', 'test.jsonl', 'provenance.jsonl', 'rejected.jsonl', 'README.md']);
    expect({ ...a, 'run.json': '' }).toEqual({ ...b, 'run.json': '' });
    expect(a['run.json']).not.toBe(b['run.json']);
  });

  test('writes the fields in the order of the schema whatever order they came in', async () => {
    const folder = newFolder();
    const reversed = sampleRecords().map((record) => Object.fromEntries(Object.entries(record).reverse()) as typeof record);
    await writeExport(join(folder, 'a'), sampleParts());
    await writeExport(join(folder, 'b'), sampleParts(reversed));
    expect(contents(join(folder, 'b'))['train.jsonl']).toBe(contents(join(folder, 'a'))['train.jsonl']);
  });

  test('replaces an earlier export and leaves nothing beside it', async () => {
    const home = newFolder();
    const folder = join(home, 'export');
    await writeExport(folder, sampleParts());
    await writeExport(folder, sampleParts(sampleRecords().slice(1)));
    expect(contents(folder)['train.jsonl']?.trim().split('\n')).toHaveLength(3);
    expect(readdirSync(home)).toEqual(['export']);
  });

  test('puts back an export that was set aside when its writer died, and clears what that writer left', async () => {
    const home = newFolder();
    await writeExport(join(home, '.export.previous'), sampleParts());
    mkdirSync(join(home, '.export.partial-999999999'));
    await expect(writeExport(join(home, 'export'), { ...sampleParts(), train: failing(systemError('ENOSPC')) })).rejects.toMatchObject({
      code: 'disk_full',
    });
    expect(readdirSync(home)).toEqual(['export']);
    expect(Object.keys(contents(join(home, 'export')))).toHaveLength(FILES.length);
  });

  test.each([
    ['a full disk', 'disk_full', /disk is full.*untouched.*same command/, systemError('ENOSPC')],
    ['a file size limit', 'disk_full', /disk is full/, systemError('EFBIG')],
    ['an error of the disk', 'io', /nothing half-written is left/, systemError('EIO')],
  ])('on %s leaves the earlier export as it was and says so in one sentence', async (_, code, sentence, error) => {
    const home = newFolder();
    const folder = join(home, 'export');
    await writeExport(folder, sampleParts());
    const before = contents(folder);
    const attempt = writeExport(folder, { ...sampleParts(), train: failing(error) });
    await expect(attempt).rejects.toMatchObject({ name: 'ExportError', code, message: expect.stringMatching(sentence) });
    expect(contents(folder)).toEqual(before);
    expect(readdirSync(home)).toEqual(['export']);
  });

  test('refuses an invalid dataset, naming record and rule, and leaves no folder', async () => {
    const home = newFolder();
    const [first, second, ...rest] = sampleRecords();
    if (first === undefined || second === undefined) throw new Error('the sample is empty');
    const attempt = writeExport(join(home, 'export'), sampleParts([first, { ...second, question: first.question }, ...rest]));
    await expect(attempt).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(`${second.id} (queries_unique`) });
    expect(readdirSync(home)).toEqual([]);
  });

  test('a card that refuses an unknown licence stops the export and leaves no folder', async () => {
    const home = newFolder();
    const sources = [{ dataset: 'demo/handwritten', revision: 'r1', licences: ['unknown'], attributionRule: '' }];
    const card: ExportParts['card'] = (counts) => renderCard({ ...CARD_FACTS, sources, counts });
    await expect(writeExport(join(home, 'export'), { ...sampleParts(), card })).rejects.toMatchObject({ code: 'unknown_licence' });
    expect(readdirSync(home)).toEqual([]);
  });

  test('does not write over a folder that holds something else', async () => {
    const home = newFolder();
    writeFileSync(join(home, 'thesis.txt'), 'mine');
    await expect(writeExport(home, sampleParts())).rejects.toMatchObject({ code: 'not_an_export' });
    expect(readFileSync(join(home, 'thesis.txt'), 'utf8')).toBe('mine');
  });

  test('says when the folder is a file', async () => {
    const path = join(newFolder(), 'export');
    writeFileSync(path, '');
    await expect(writeExport(path, sampleParts())).rejects.toMatchObject({ code: 'not_a_folder' });
    await expect(writeExport(join(path, 'deeper'), sampleParts())).rejects.toMatchObject({ code: 'not_a_folder' });
  });

  test.skipIf(!existsSync('/sys'))('says when the folder cannot be written (skipped where there is no /sys)', async () => {
    await expect(writeExport('/sys/memcalib-export', sampleParts())).rejects.toMatchObject({
      code: 'read_only',
      message: expect.stringMatching(/cannot be written.*--out/),
    });
  });

  test.each(['EROFS', 'EACCES', 'EPERM'])('%s is a read-only folder', (code) => {
    expect(exportErrorOf(systemError(code), '/x')).toMatchObject({ code: 'read_only' });
  });
});
