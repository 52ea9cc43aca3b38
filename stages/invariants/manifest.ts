import { HASHED_FILES, Manifest } from '../../schemas/manifest.ts';
import type { Violation } from './violation.ts';

/** What was found on the way, to hold against the manifest. */
export interface FolderFacts {
  readonly counts: Pick<Manifest['counts'], 'train' | 'test' | 'provenance' | 'rejected'>;
  readonly pipelineHashes: ReadonlySet<string>;
  /** SHA-256 in hexadecimal of each file of the folder. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Holds a manifest against the files and lines it vouches for. */
export function* checkManifest(value: unknown, facts: FolderFacts): Generator<Violation> {
  const record = 'manifest.json';
  const parsed = Manifest.safeParse(value);
  if (!parsed.success) {
    for (const issue of parsed.error.issues)
      yield { rule: 'manifest_shape', record, detail: `${issue.path.map(String).join('.') || 'manifest'} ${issue.code}` };
    return;
  }
  const { files, counts, pipeline_hash: pipelineHash, mixed } = parsed.data;
  for (const name of HASHED_FILES)
    if (!Object.hasOwn(files, name)) yield { rule: 'manifest_lists_files', record, detail: `${name} is not listed` };
  for (const [name, hash] of Object.entries(files)) {
    if (name === 'manifest.json' || name === 'run.json')
      yield { rule: 'manifest_lists_files', record, detail: `${name} may not be listed` };
    const actual = facts.hashes.get(name);
    if (actual === undefined) yield { rule: 'manifest_hash', record: name, detail: 'listed in manifest.json and missing' };
    else if (actual !== hash) yield { rule: 'manifest_hash', record: name, detail: 'differs from its hash in manifest.json' };
  }
  for (const [name, found] of Object.entries(facts.counts)) {
    const said = counts[name as keyof FolderFacts['counts']];
    if (said !== found) yield { rule: 'manifest_counts', record, detail: `${name}: manifest says ${said}, files hold ${found}` };
  }
  const told = new Set([pipelineHash, ...(mixed ?? []).map((part) => part.pipeline_hash)]);
  for (const hash of facts.pipelineHashes) {
    if (!told.has(hash)) yield { rule: 'manifest_pipeline_hash', record, detail: `provenance names pipeline ${hash.slice(0, 12)} too` };
  }
}
