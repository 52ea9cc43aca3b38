import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** SHA-256 and git object id of a file of known size, read once. */
export async function fileHashes(path: string, bytes: number): Promise<{ readonly sha256: string; readonly gitOid: string }> {
  const sha256 = createHash('sha256');
  const git = createHash('sha1').update(`blob ${bytes}\0`);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>) {
    sha256.update(chunk);
    git.update(chunk);
  }
  return { sha256: sha256.digest('hex'), gitOid: git.digest('hex') };
}
