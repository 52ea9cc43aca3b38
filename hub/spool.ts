import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes kept in memory before a file is begun, and between two writes to it. */
const MOST_IN_MEMORY = 32 * 1024 * 1024;
const FIRST_ROOM = 64 * 1024;

/** Texts put aside in order and read back by number: in memory while they are few, then in a file that ends with the process, whatever happens. */
export class Spool {
  #offsets = new Float64Array(1024);
  #count = 0;
  #tail = Buffer.allocUnsafe(FIRST_ROOM);
  #tailLength = 0;
  /** Bytes that lie in the file; the tail follows them. */
  #written = 0;
  #file: number | null = null;

  /** Adds a text and gives its number (0, 1, 2 ...). */
  add(text: string): number {
    this.#makeRoom(Buffer.byteLength(text, 'utf8'));
    this.#tailLength += this.#tail.write(text, this.#tailLength, 'utf8');
    return this.#added();
  }

  /** Adds a text as its UTF-8 bytes. */
  addBytes(bytes: Uint8Array): number {
    this.#makeRoom(bytes.length);
    this.#tail.set(bytes, this.#tailLength);
    this.#tailLength += bytes.length;
    return this.#added();
  }

  #added(): number {
    const number = this.#count++;
    if (this.#count === this.#offsets.length) {
      const offsets = new Float64Array(this.#offsets.length * 2);
      offsets.set(this.#offsets);
      this.#offsets = offsets;
    }
    this.#offsets[this.#count] = this.#written + this.#tailLength;
    return number;
  }

  get count(): number {
    return this.#count;
  }

  read(number: number): string {
    const from = this.#offsets[number] ?? 0;
    const length = (this.#offsets[number + 1] ?? from) - from;
    if (from >= this.#written) return this.#tail.toString('utf8', from - this.#written, from - this.#written + length);
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length && this.#file !== null;) {
      const read = readSync(this.#file, bytes, at, length - at, from + at);
      if (read === 0) throw new RangeError(`Text ${number} was put aside and cannot be read back.`);
      at += read;
    }
    return bytes.toString('utf8');
  }

  /** Gives the file back; nothing can be read any more. */
  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    this.#count = 0;
    this.#tail = Buffer.alloc(0);
  }

  #makeRoom(bytes: number): void {
    if (this.#tailLength + bytes <= this.#tail.length) return;
    if (this.#tailLength + bytes > MOST_IN_MEMORY) this.#write();
    const needed = this.#tailLength + bytes;
    if (needed <= this.#tail.length) return;
    const tail = Buffer.allocUnsafe(Math.max(needed, Math.min(MOST_IN_MEMORY, this.#tail.length * 2)));
    this.#tail.copy(tail, 0, 0, this.#tailLength);
    this.#tail = tail;
  }

  #write(): void {
    this.#file ??= openUnnamed();
    for (let at = 0; at < this.#tailLength;) at += writeSync(this.#file, this.#tail, at, this.#tailLength - at, this.#written + at);
    this.#written += this.#tailLength;
    this.#tailLength = 0;
  }
}

/** A file without a name: it is gone as soon as nobody holds it. */
function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-rows-'));
  try {
    return openSync(join(folder, 'rows'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
