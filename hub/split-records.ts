/** Longest row that is read; a longer one is skipped over and reported. */
export const MAX_ROW_BYTES = 128 * 1024 * 1024;

/** The bytes of one record and its 1-based number; null bytes stand for one longer than the limit. */
export interface RawRecord {
  readonly number: number;
  readonly bytes: Uint8Array | null;
}

const BOM = [0xef, 0xbb, 0xbf] as const;

/** Takes a UTF-8 byte order mark off the start of a stream. */
export async function* withoutBom(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let head: Uint8Array | null = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk;
      continue;
    }
    const joined: Uint8Array = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (joined.length < 3) {
      head = joined;
      continue;
    }
    yield BOM.every((byte, at) => joined[at] === byte) ? joined.subarray(3) : joined;
    head = null;
  }
  if (head !== null && head.length > 0) yield head;
}

/** Collects the pieces of one record up to the limit. */
class Pieces {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes <= MAX_ROW_BYTES) this.#parts.push(part);
    else this.#parts = [];
  }

  take(): Uint8Array | null {
    const whole =
      this.#bytes > MAX_ROW_BYTES ? null : this.#parts.length === 1 ? (this.#parts[0] ?? new Uint8Array(0)) : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return whole;
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13 || byte === 10);
}

/** Lines of a stream with their numbers; blank lines are counted but not given. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<RawRecord> {
  const pieces = new Pieces();
  let number = 0;
  let isOpen = false;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      pieces.add(chunk.subarray(from, end));
      number += 1;
      const bytes = pieces.take();
      if (bytes === null || !isBlank(bytes)) yield { number, bytes };
      from = end + 1;
      isOpen = false;
    }
    if (from < chunk.length) {
      pieces.add(chunk.subarray(from).slice());
      isOpen = true;
    }
  }
  if (!isOpen) return;
  const bytes = pieces.take();
  if (bytes === null || !isBlank(bytes)) yield { number: number + 1, bytes };
}

/** Elements of one top-level JSON array with their numbers; what follows a broken element comes as one last record that will not parse. */
export async function* splitArray(chunks: AsyncIterable<Uint8Array>): AsyncIterable<RawRecord> {
  const pieces = new Pieces();
  let number = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let hasContent = false;
  let isClosed = false;
  for await (const chunk of chunks) {
    let from = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i] ?? 0;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === 92) isEscaped = true;
        else if (byte === 34) isInString = false;
        continue;
      }
      if (byte <= 32) continue;
      if (depth === 0) {
        isClosed = false;
        if (byte === 91) {
          depth = 1;
          from = i + 1;
        } else hasContent = true;
        continue;
      }
      const isEnd = depth === 1 && (byte === 44 || byte === 93);
      if (isEnd) {
        pieces.add(chunk.subarray(from, i));
        const bytes = pieces.take();
        if (byte === 44 || hasContent) {
          number += 1;
          yield { number, bytes };
        }
        hasContent = false;
        from = i + 1;
        isClosed = byte === 93;
        if (isClosed) depth = 0;
        continue;
      }
      hasContent = true;
      if (byte === 34) isInString = true;
      else if (byte === 123 || byte === 91) depth += 1;
      else if (byte === 125 || byte === 93) depth -= 1;
    }
    if (from < chunk.length) pieces.add(chunk.subarray(from).slice());
  }
  if (isClosed && !hasContent) return;
  const rest = pieces.take();
  if (rest === null || !isBlank(rest) || hasContent || depth > 0) yield { number: ++number, bytes: rest ?? new Uint8Array(0) };
  // The last element is whole but the array is not: the file was cut, and whoever reads the report must see it.
  if (depth === 1 && hasContent) yield { number: number + 1, bytes: new Uint8Array(0) };
}
