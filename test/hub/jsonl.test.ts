import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJsonl, sha256OfFile, writeTexts } from '../../hub/jsonl.ts';
import type { JsonLine } from '../../stages/validate-dataset.ts';
import { tempFolders } from '../support/temp-folder.ts';

const newFolder = tempFolders();

function show(line: JsonLine): string {
  return `${line.line} ${'value' in line ? JSON.stringify(line.value) : line.broken.rule}`;
}

async function readAll(bytes: Buffer | string): Promise<readonly string[]> {
  const path = join(newFolder(), 'x.jsonl');
  writeFileSync(path, bytes);
  const found: string[] = [];
  for await (const line of readJsonl(path, 'x.jsonl')) found.push(show(line));
  return found;
}

test.each([
  ['an empty file', '', []],
  ['plain lines', '1\n{"a":"ü"}\n', ['1 1', '2 {"a":"ü"}']],
  ['CRLF', '1\r\n2\r\n', ['1 1', '2 2']],
  ['blank lines, keeping line numbers', '1\n\n\r\n4\n', ['1 1', '4 4']],
  ['a missing last newline', '1\n2', ['1 1', '2 2', '2 ends_with_newline']],
  ['a byte order mark', '\uFEFF1\n', ['1 no_bom', '1 1']],
  ['a torn line, and goes on', '{"a":\n2\n', ['1 line_is_json', '2 2']],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a, 0x31, 0x0a]), ['1 line_is_json', '2 1']],
  ['a lone surrogate escape', '"\\ud83d"\n', ['1 "\\ud83d"']],
])('readJsonl reads %s', async (_, bytes, wanted) => {
  expect(await readAll(bytes)).toEqual(wanted);
});

test('readJsonl reads a line of five megabytes that no chunk holds, multi-byte characters across chunk borders included', async () => {
  const text = 'ü€😀'.repeat(600_000);
  const [line, last] = await readAll(`${JSON.stringify(text)}\n7\n`);
  expect(line === `1 ${JSON.stringify(text)}`).toBe(true);
  expect(last).toBe('2 7');
});

test('writeTexts writes what it is given and returns the hash of the bytes', async () => {
  const path = join(newFolder(), 'x');
  const texts = Array.from({ length: 5000 }, (_, at) => `line ${at} €${'x'.repeat(200)}\n`);
  const hash = await writeTexts(path, texts);
  expect(readFileSync(path, 'utf8') === texts.join('')).toBe(true);
  expect(hash).toBe(createHash('sha256').update(texts.join('')).digest('hex'));
  expect(await sha256OfFile(path)).toBe(hash);
  await expect(writeTexts(path, [])).rejects.toMatchObject({ code: 'EEXIST' });
});
