import { join } from 'node:path';
import type { SourceConfig } from '../schemas/config.ts';
import { missingFiles, pulledPaths, readPin } from './pull/pin.ts';
import { SourceReadError } from './read-error.ts';
import { filesOfSource, type SourceFile } from './read-files.ts';

/** A source with its files found: one of the hub carries the commit it is pinned to as its revision. */
export interface LocatedSource {
  readonly source: SourceConfig;
  readonly files: readonly SourceFile[];
  /** SHA-256 by name of file, where the files are pinned. */
  readonly pinned: ReadonlyMap<string, string>;
}

/** Finds the files of a source: by its path, else in what was pulled from the hub, where each goes by its name in the dataset. */
export async function locateSource(source: SourceConfig, baseDir: string, sourcesDir: string): Promise<LocatedSource> {
  if (source.path !== undefined || source.hub === undefined)
    return { source, files: await filesOfSource(source, baseDir), pinned: new Map() };
  const paths = pulledPaths(sourcesDir, source.name);
  const pin = await readPin(paths);
  const missing = pin === null ? null : await missingFiles(paths, pin);
  if (pin === null || missing === null || missing.length > 0 || pin.repo !== source.hub.repo) {
    const what = pin === null || pin.repo !== source.hub.repo ? 'was not pulled yet' : 'was pulled in part only';
    throw new SourceReadError(
      'not_pulled',
      source.name,
      `Source ${source.name} is on the hub (${source.hub.repo}) and ${what}: type \`memcalib sources pull ${source.name}\`.`,
    );
  }
  return {
    source: { ...source, revision: pin.commit },
    files: pin.files.map((file) => ({ path: join(paths.files, file.path), name: file.path })),
    pinned: new Map(pin.files.flatMap((file) => (file.sha256 === null ? [] : [[file.path, file.sha256] as const]))),
  };
}
