import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { SourceConfig } from '../schemas/config.ts';
import { parseJsonRow, type ReadRow } from './parse-json-row.ts';
import { readCsv } from './read-csv.ts';
import { SourceReadError } from './read-error.ts';
import { readParquet } from './read-parquet.ts';
import { MAX_ROW_BYTES, splitArray, splitLines, withoutBom, type RawRecord } from './split-records.ts';
import { unzstd } from './unzstd.ts';

const FORMATS: ReadonlySet<string> = new Set(['.jsonl', '.ndjson', '.json', '.csv', '.parquet']);

function formatOf(path: string): string {
  return extname(path.replace(/\.(?:gz|zst)$/i, '')).toLowerCase();
}

/** A file of a source: where it lies, and its name relative to the config's folder, which is what people see. */
export interface SourceFile {
  readonly path: string;
  readonly name: string;
}

async function filesUnder(path: string): Promise<readonly string[]> {
  const info = await stat(path).catch(() => null);
  if (info === null) return [];
  if (!info.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && FORMATS.has(formatOf(entry.name))).map((entry) => join(entry.parentPath, entry.name));
}

/** The files a source entry names, in order of their names; folders are searched for readable formats. */
export async function filesOfSource(source: SourceConfig, baseDir: string): Promise<readonly SourceFile[]> {
  if (source.path === undefined) {
    throw new SourceReadError(
      'no_location',
      source.name,
      `Source ${source.name} has neither path nor hub: give it a \`path\` in memcalib.config.ts that holds its files.`,
    );
  }
  const files = new Map<string, SourceFile>();
  for (const given of typeof source.path === 'string' ? [source.path] : source.path) {
    const found = await filesUnder(resolve(baseDir, given));
    if (found.length === 0)
      throw new SourceReadError(
        'missing_file',
        given,
        `Source ${source.name}: nothing to read at ${resolve(baseDir, given)}; correct \`path\` in memcalib.config.ts.`,
      );
    for (const path of found) {
      if (!FORMATS.has(formatOf(path)))
        throw new SourceReadError(
          'unsupported_format',
          path,
          `Source ${source.name}: ${path} is none of .jsonl, .json, .csv, .parquet (or .gz and .zst of the first three).`,
        );
      files.set(path, { path, name: relative(resolve(baseDir), path).split(sep).join('/') });
    }
  }
  return [...files.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function bytesOf(path: string): AsyncIterable<Uint8Array> {
  const raw = createReadStream(path, { highWaterMark: 1 << 18 });
  if (/\.zst$/i.test(path)) return withoutBom(unzstd(raw as AsyncIterable<Uint8Array>));
  if (!/\.gz$/i.test(path)) return withoutBom(raw);
  const gunzip = createGunzip();
  raw.on('error', (error) => gunzip.destroy(error));
  return withoutBom(raw.pipe(gunzip) as AsyncIterable<Uint8Array>);
}

/** Whether the first character of a JSON file opens an array; else its lines are rows. */
async function isArrayFile(path: string): Promise<boolean> {
  for await (const chunk of bytesOf(path)) {
    const first = chunk.find((byte) => byte > 32);
    if (first !== undefined) return first === 91;
  }
  return false;
}

async function* parseRecords(records: AsyncIterable<RawRecord>): AsyncIterable<ReadRow> {
  for await (const { number, bytes } of records) {
    if (bytes === null)
      yield { kind: 'bad', number, reason: 'row_too_large', detail: `Row ${number} is longer than ${MAX_ROW_BYTES / 1_048_576} MiB.` };
    else yield parseJsonRow(bytes, number);
  }
}

async function* rowsOf(path: string): AsyncIterable<ReadRow> {
  const format = formatOf(path);
  if (format === '.parquet') yield* readParquet(path);
  else if (format === '.csv') yield* readCsv(bytesOf(path));
  else if (format === '.json' && (await isArrayFile(path))) yield* parseRecords(splitArray(bytesOf(path)));
  else yield* parseRecords(splitLines(bytesOf(path)));
}

/** Streams the native rows of one file; bad rows come with their number, and so does the place from which a damaged file cannot be read. One that gives no row at all is a SourceReadError. */
export async function* readRows(file: SourceFile): AsyncIterable<ReadRow> {
  const handle = await open(file.path, 'r').catch((error: unknown) => {
    throw new SourceReadError(
      'missing_file',
      file.name,
      `The source file ${file.path} cannot be opened; check the path and its permissions.`,
      error,
    );
  });
  await handle.close();
  let last = 0;
  try {
    for await (const row of rowsOf(file.path)) {
      last = row.number;
      yield row;
    }
  } catch (error) {
    if (error instanceof SourceReadError) throw error;
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown reason';
    if (last > 0) {
      const detail = `The file cannot be read behind row ${last} (${why.slice(0, 120)}); fetch it again to have the rest.`;
      yield { kind: 'bad', number: last + 1, reason: 'damaged_file', detail };
      return;
    }
    throw new SourceReadError(
      'unreadable_file',
      file.name,
      `The source file ${file.path} cannot be read to its end (${why}); fetch it again.`,
      error,
    );
  }
}
