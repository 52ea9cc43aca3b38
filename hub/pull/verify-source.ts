import { join } from 'node:path';
import { fileHashes } from './file-hashes.ts';
import { pulledPaths, readPin, sizeOf } from './pin.ts';

/** What re-hashing a pulled source found; null counts where it was never pulled. */
export interface VerifyReport {
  readonly source: string;
  readonly commit: string | null;
  readonly files: number;
  readonly bytes: number;
  readonly problems: readonly { readonly path: string; readonly what: 'missing' | 'size' | 'hash' | 'unfinished' }[];
}

/** Hashes every file of a pulled source again and compares it with the pin. Asks nobody. */
export async function verifySource(sourcesDir: string, name: string): Promise<VerifyReport> {
  const paths = pulledPaths(sourcesDir, name);
  const pin = await readPin(paths);
  if (pin === null) return { source: name, commit: null, files: 0, bytes: 0, problems: [] };
  const problems: { path: string; what: VerifyReport['problems'][number]['what'] }[] = [];
  for (const file of pin.files) {
    const path = join(paths.files, file.path);
    const size = await sizeOf(path);
    if (size === null) problems.push({ path, what: 'missing' });
    else if (size !== file.bytes) problems.push({ path, what: 'size' });
    else if (file.sha256 === null) problems.push({ path, what: 'unfinished' });
    else if ((await fileHashes(path, file.bytes)).sha256 !== file.sha256) problems.push({ path, what: 'hash' });
  }
  return {
    source: name,
    commit: pin.commit,
    files: pin.files.length,
    bytes: pin.files.reduce((sum, file) => sum + file.bytes, 0),
    problems,
  };
}
