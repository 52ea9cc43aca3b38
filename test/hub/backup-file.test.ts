import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { unpackBackup, writeBackup } from '../../hub/backup-file.ts';
import { readTar, tarEnd, tarFile } from '../../hub/tar.ts';
import { tempFolders } from '../support/temp-folder.ts';

const tempFolder = tempFolders();
const MADE = { at: '2026-01-01T00:00:00.000Z', version: '0.0.0' };
const LONG = `exports/${'a-long-folder-name/'.repeat(8)}train.jsonl`;

async function sample(): Promise<{ readonly file: string; readonly contents: Readonly<Record<string, Buffer>> }> {
  const folder = tempFolder();
  const contents: Record<string, Buffer> = {
    'exports/main/train.jsonl': Buffer.from('{"id":"ä"}\n'),
    [LONG]: Buffer.alloc(1_300_000, 'abc\n'),
    'exports/main/empty': Buffer.alloc(0),
    'sources/rows.parquet': Buffer.from([0, 1, 2, 255]),
  };
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(join(folder, 'project', name, '..'), { recursive: true });
    writeFileSync(join(folder, 'project', name), content);
  }
  mkdirSync(join(folder, 'project', 'logs'));
  writeFileSync(join(folder, 'project', 'logs', 'owner.log'), 'left out');
  const storeCopy = join(folder, 'copy');
  writeFileSync(storeCopy, Buffer.alloc(513, 7));
  const file = join(folder, 'project.backup');
  await writeBackup(file, { folder: join(folder, 'project'), storeCopy }, MADE);
  return { file, contents: { ...contents, 'memcalib.duckdb': Buffer.alloc(513, 7) } };
}

async function archive(entries: readonly (readonly [string, string])[]): Promise<string> {
  const file = join(tempFolder(), 'made.backup');
  const parts: Buffer[] = [];
  for (const [name, content] of entries)
    for await (const chunk of tarFile(name, Buffer.byteLength(content), Readable.from([Buffer.from(content)]) as AsyncIterable<Buffer>))
      parts.push(chunk);
  writeFileSync(file, gzipSync(Buffer.concat([...parts, tarEnd()])));
  return file;
}

describe('a backup', () => {
  test('gives every file back, names and bytes, and leaves logs out', async () => {
    const { file, contents } = await sample();
    const into = tempFolder();
    const manifest = await unpackBackup(file, into);
    expect(Object.keys(manifest.files).sort()).toEqual(Object.keys(contents).sort());
    for (const [name, content] of Object.entries(contents)) expect(readFileSync(join(into, name)).equals(content), name).toBe(true);
  });

  test.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ['cut short', (bytes) => bytes.subarray(0, bytes.length - 900), /no whole gzip archive|breaks off/],
    ['one changed byte of a file', (bytes) => flip(bytes, 600), /does not match its checksum/],
    ['one changed byte of a header', (bytes) => flip(bytes, 20), /is damaged/],
    ['no archive at all', () => Buffer.from('hello'), /no whole gzip archive/],
  ])('%s is refused', async (_, spoil, reads) => {
    const { file } = await sample();
    writeFileSync(file, spoil(readFileSync(file)));
    await expect(unpackBackup(file, tempFolder())).rejects.toThrow(reads);
  });

  test.each([['../outside'], ['exports/../../outside'], ['/etc/passwd'], ['owner.json'], ['exports//x']])(
    'a file named %s is refused',
    async (name) => {
      const file = await archive([[name, 'x']]);
      await expect(unpackBackup(file, tempFolder())).rejects.toThrow(/no backup of MemCalib/);
    },
  );

  test('an archive without a manifest, and one that holds more than its manifest names, are refused', async () => {
    await expect(unpackBackup(await archive([['exports/a', 'x']]), tempFolder())).rejects.toThrow(/no manifest/);
    const manifest = JSON.stringify({ format: 'memcalib-backup-1', made_at: '', memcalib: '', files: {} });
    const more = await archive([
      ['exports/a', 'x'],
      ['memcalib-backup.json', manifest],
    ]);
    await expect(unpackBackup(more, tempFolder())).rejects.toThrow(/which its manifest does not name/);
  });
});

/** Changes one byte of the unpacked archive. */
function flip(bytes: Buffer, at: number): Buffer {
  const plain = Buffer.from(gunzipSync(bytes));
  plain[at] = (plain[at] ?? 0) ^ 1;
  return gzipSync(plain);
}

test('an archive is read chunk by chunk, however the chunks fall', async () => {
  const file = await archive([
    ['exports/a', 'one'],
    ['exports/b', 'two'.repeat(400)],
  ]);
  const plain = gunzipSync(readFileSync(file));
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < plain.length; at += 7) yield plain.subarray(at, at + 7);
  }
  const read: [string, number][] = [];
  for await (const { name, content } of readTar(pieces())) {
    let bytes = 0;
    for await (const chunk of content) bytes += chunk.length;
    read.push([name, bytes]);
  }
  expect(read).toEqual([
    ['exports/a', 3],
    ['exports/b', 1200],
  ]);
});
