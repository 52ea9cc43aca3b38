import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { JsonLine } from '../stages/validate-dataset.ts';

const NEWLINE = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const FLUSH_CHARS = 1 << 18;

function parseLine(bytes: Buffer, file: string, line: number): JsonLine | null {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  if (end === 0) return null;
  let raw = bytes.toString('utf8', 0, end);
  try {
    raw = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end));
    const value: unknown = JSON.parse(raw);
    return { file, line, value };
  } catch (error) {
    const detail = error instanceof SyntaxError ? 'not one JSON value' : 'not UTF-8';
    return { file, line, broken: { rule: 'line_is_json', detail }, raw };
  }
}

async function* splitLines(path: string): AsyncGenerator<{ readonly bytes: Buffer; readonly ended: boolean }> {
  let kept: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 16 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      yield { bytes: Buffer.concat([...kept, chunk.subarray(start, at)]), ended: true };
      kept = [];
      start = at + 1;
    }
    if (start < chunk.length) kept.push(chunk.subarray(start));
  }
  if (kept.length > 0) yield { bytes: Buffer.concat(kept), ended: false };
}

/** Reads a JSONL file line by line. Broken lines come as such with their number; a BOM and a missing last newline are named. */
export async function* readJsonl(path: string, file: string): AsyncGenerator<JsonLine> {
  let line = 0;
  for await (const { bytes, ended } of splitLines(path)) {
    line += 1;
    const hasBom = line === 1 && bytes.subarray(0, 3).equals(BOM);
    if (hasBom) yield { file, line, broken: { rule: 'no_bom', detail: 'the file begins with a byte order mark' }, raw: null };
    const parsed = parseLine(hasBom ? bytes.subarray(3) : bytes, file, line);
    if (parsed !== null) yield parsed;
    if (!ended) yield { file, line, broken: { rule: 'ends_with_newline', detail: 'the last line does not end' }, raw: null };
  }
}

/** Writes texts one after another into a new file, flushes it to disk and returns its SHA-256 in hexadecimal. */
export async function writeTexts(path: string, texts: AsyncIterable<string> | Iterable<string>): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(path, 'wx');
  try {
    let pending = '';
    const flush = async (): Promise<void> => {
      const bytes = Buffer.from(pending, 'utf8');
      pending = '';
      hash.update(bytes);
      await handle.appendFile(bytes);
    };
    for await (const text of texts) {
      pending += text;
      if (pending.length >= FLUSH_CHARS) await flush();
    }
    await flush();
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** SHA-256 of a file in hexadecimal, read by stream. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
