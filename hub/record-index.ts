import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExampleRecord, RejectedLine } from '../schemas/record.ts';
import { ExportError } from './export-error.ts';
import { readJsonl } from './jsonl.ts';

const FILES = ['train.jsonl', 'test.jsonl'] as const;

interface Place {
  readonly file: string;
  readonly line: number;
}

/** The records of an export folder by id, read a page at a time; only ids and places are held in memory. */
export interface RecordIndex {
  readonly ids: readonly string[];
  /** Records of the asked ids, in the order asked; unknown ones are left out. */
  read(ids: readonly string[]): Promise<readonly ExampleRecord[]>;
  /** Lines of rejected.jsonl. */
  rejected(): AsyncIterable<RejectedLine>;
}

/** Byte offsets of the lines of a file. */
async function lineOffsets(path: string): Promise<readonly number[]> {
  const offsets = [0];
  const handle = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(1 << 20);
    for (let from = 0; ;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
      if (bytesRead === 0) return [...offsets, from];
      for (let at = buffer.indexOf(0x0a); at >= 0 && at < bytesRead; at = buffer.indexOf(0x0a, at + 1)) offsets.push(from + at + 1);
      from += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

async function readLines(path: string, offsets: readonly number[], lines: readonly number[]): Promise<readonly ExampleRecord[]> {
  const handle = await open(path, 'r');
  try {
    const records: ExampleRecord[] = [];
    for (const line of lines) {
      const [from, to] = [offsets[line - 1] ?? 0, offsets[line] ?? 0];
      const buffer = Buffer.alloc(to - from);
      await handle.read(buffer, 0, buffer.length, from);
      records.push(JSON.parse(buffer.toString('utf8').replace(/^\uFEFF/, '')) as ExampleRecord);
    }
    return records;
  } finally {
    await handle.close();
  }
}

/** Indexes the records of an export; a line that is no record is an error that names it. */
export async function openRecords(folder: string): Promise<RecordIndex> {
  const places = new Map<string, Place>();
  const offsets = new Map<string, readonly number[]>();
  for (const file of FILES.filter((name) => existsSync(join(folder, name)))) {
    offsets.set(file, await lineOffsets(join(folder, file)));
    for await (const line of readJsonl(join(folder, file), file)) {
      const id = 'value' in line ? (line.value as { readonly id?: unknown } | null)?.id : undefined;
      if ('broken' in line && line.broken?.rule === 'ends_with_newline') continue;
      if (typeof id !== 'string')
        throw new ExportError(
          'not_an_export',
          `${join(folder, file)} line ${line.line} is no record; type \`memcalib validate ${folder}\` to see what is wrong.`,
        );
      places.set(id, { file, line: line.line });
    }
  }
  if (offsets.size === 0)
    throw new ExportError('not_an_export', `${folder} holds neither train.jsonl nor test.jsonl; name a folder that holds a dataset.`);
  return {
    ids: [...places.keys()],
    read: async (ids) => {
      const found = new Map<string, ExampleRecord>();
      for (const [file, starts] of offsets) {
        const lines = ids.flatMap((id) => {
          const place = places.get(id);
          return place?.file === file ? [place.line] : [];
        });
        for (const record of await readLines(join(folder, file), starts, lines)) found.set(record.id, record);
      }
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    async *rejected() {
      const path = join(folder, 'rejected.jsonl');
      if (!existsSync(path)) return;
      for await (const line of readJsonl(path, 'rejected.jsonl')) if ('value' in line) yield line.value as RejectedLine;
    },
  };
}
