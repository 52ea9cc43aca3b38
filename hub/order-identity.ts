import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { StratumWeights } from '../datasets/strata.ts';
import type { SourceConfig } from '../schemas/config.ts';
import { hashOf } from '../schemas/hash.ts';
import type { IngestParams } from './ingest.ts';

/** Bumped when adapters, screening, deduplication or order decide differently, so that an old order is not taken for a new one. */
export const ORDER_VERSION = 2;

/** Bumped when what is kept of a screened unit is written another way, so that units written the old way are read anew. */
const UNIT_FORMAT = 3;

const READ_BYTES = 1 << 20;

/** SHA-256 and size of a file, read as a stream. */
export async function hashFile(path: string): Promise<HashedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** A file by what is in it. */
export interface HashedFile {
  readonly sha256: string;
  readonly bytes: number;
}

/** The key of files of one source as screened: all that their verdicts depend on. */
export function unitKey(
  source: SourceConfig,
  files: readonly { readonly name: string; readonly sha256: string }[],
  { nearDuplicateJaccard, minQualityScore, identifiers }: IngestParams,
): string {
  return hashOf({
    version: ORDER_VERSION,
    format: UNIT_FORMAT,
    source: { ...source, path: null, quota: null },
    files: files.map(({ name, sha256 }) => ({ name, sha256 })),
    nearDuplicateJaccard,
    minQualityScore,
    identifiers,
  });
}

/** The id of an order: what its candidates and their places depend on, and nothing that only says where or how much. `elders` is the key of rows that stay for their age. */
export function identityOf(
  reads: readonly { readonly source: SourceConfig; readonly files: readonly { readonly name: string; readonly sha256: string }[] }[],
  params: IngestParams,
  weights: StratumWeights,
  elders?: string,
): string {
  const { seed, nearDuplicateJaccard, minQualityScore, identifiers } = params;
  const sources = reads.map(({ source, files }) => ({
    ...source,
    path: null,
    quota: null,
    files: files.map(({ name, sha256 }) => ({ name, sha256 })),
  }));
  return hashOf({ version: ORDER_VERSION, sources, seed, nearDuplicateJaccard, minQualityScore, identifiers, weights, elders });
}
