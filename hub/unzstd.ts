import { Decompress } from 'fzstd';

/** Unpacks a Zstandard stream of one or more frames; a cut one ends with an error. (node:zlib knows the format from Node 22 on.) */
export async function* unzstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const stream = new Decompress((data) => void ready.push(data.slice()));
  for await (const chunk of chunks) {
    try {
      stream.push(chunk);
    } finally {
      // What stands before the damage is given also when the rest cannot be read.
      yield* ready.splice(0);
    }
  }
  stream.push(new Uint8Array(0), true);
  yield* ready.splice(0);
}
