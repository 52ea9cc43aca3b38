import { createReadStream } from 'node:fs';

/** One file of an archive. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
}

/** An archive that is damaged, or a name or size that the format cannot hold. */
export class TarError extends Error {
  override readonly name = 'TarError';
  readonly code = 'bad_archive';
  readonly retryable = false;
}

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** Eleven octal digits. */
const MAX_FILE_BYTES = 8 ** 11 - 1;

function splitName(name: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(name) <= NAME_BYTES) return ['', name];
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= PREFIX_BYTES && Buffer.byteLength(rest) <= NAME_BYTES) return [prefix, rest];
  }
  throw new TarError(`The path ${name} is too long for an archive; shorten it and type the command again.`);
}

function checksum(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function headerOf(name: string, bytes: number): Buffer {
  if (bytes > MAX_FILE_BYTES)
    throw new TarError(`${name} is larger than 8 GiB, more than an archive holds; copy the project folder instead.`);
  const header = Buffer.alloc(BLOCK);
  const [prefix, rest] = splitName(name);
  header.write(rest, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  header.write(prefix, 345);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** One file as tar blocks: header, content, padding. */
export async function* tarFile(name: string, bytes: number, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield headerOf(name, bytes);
  let written = 0;
  for await (const chunk of content) {
    written += chunk.length;
    yield chunk;
  }
  if (written !== bytes) throw new TarError(`${name} changed while it was read; type the command again.`);
  if (bytes % BLOCK > 0) yield Buffer.alloc(BLOCK - (bytes % BLOCK));
}

/** The two empty blocks that end an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK);
}

/** Reads exact numbers of bytes from a stream of chunks. */
class ByteReader {
  private readonly source: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** At most `most` bytes; empty at the end of the stream. */
  async some(most: number): Promise<Buffer> {
    while (this.held.length === 0) {
      const next = await this.source.next();
      if (next.done === true) return Buffer.alloc(0);
      this.held = next.value;
    }
    const part = this.held.subarray(0, most);
    this.held = this.held.subarray(part.length);
    return part;
  }

  async exactly(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0;) {
      const part = await this.some(left);
      if (part.length === 0) throw new TarError('The archive breaks off: it is not whole. Take another copy of it.');
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }
}

async function* contentOf(reader: ByteReader, bytes: number): AsyncGenerator<Buffer> {
  for (let left = bytes; left > 0;) {
    const part = await reader.some(left);
    if (part.length === 0) throw new TarError('The archive breaks off: it is not whole. Take another copy of it.');
    left -= part.length;
    yield part;
  }
}

function textAt(header: Buffer, from: number, length: number): string {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

/** The files of an archive in order; each content must be read to its end before the next. Only plain files are accepted. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source);
  for (;;) {
    const header = await reader.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (Number.parseInt(textAt(header, 148, 8), 8) !== checksum(header))
      throw new TarError('The archive is damaged. Take another copy of it.');
    const kind = textAt(header, 156, 1);
    const prefix = textAt(header, 345, PREFIX_BYTES);
    const name = `${prefix === '' ? '' : `${prefix}/`}${textAt(header, 0, NAME_BYTES)}`;
    if (kind !== '0' && kind !== '') throw new TarError(`The archive holds ${name}, which is no plain file: it is no backup of MemCalib.`);
    const bytes = Number.parseInt(textAt(header, 124, 12), 8);
    if (!Number.isSafeInteger(bytes)) throw new TarError('The archive is damaged. Take another copy of it.');
    yield { name, bytes, content: contentOf(reader, bytes) };
    if (bytes % BLOCK > 0) await reader.exactly(BLOCK - (bytes % BLOCK));
  }
}

/** A file as chunks. */
export function fileChunks(path: string): AsyncIterable<Buffer> {
  return createReadStream(path) as AsyncIterable<Buffer>;
}
