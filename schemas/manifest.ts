import { z } from 'zod';

const count = z.int().nonnegative();

/** `manifest.json` of an export: what the hashed files hold. It lists neither itself nor `run.json`. */
export const Manifest = z.strictObject({
  format: z.literal('memcalib-export-1'),
  name: z.string().min(1),
  pipeline_hash: z.string().min(1),
  /** The pipelines of an export that mixes several (`--allow-mixed`) and the examples of each, `pipeline_hash` first. */
  mixed: z.array(z.strictObject({ pipeline_hash: z.string().min(1), examples: count })).exactOptional(),
  seed: z.string().min(1),
  /** True when the rehearsal model built the examples: such an export is no data. */
  rehearsal: z.boolean(),
  counts: z.strictObject({ train: count, test: count, provenance: count, rejected: count, atoms: count, blocks: count }),
  /** File name to SHA-256 in hexadecimal. */
  files: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
});
export type Manifest = z.infer<typeof Manifest>;

/** The files of an export that the manifest vouches for, in the order they are written. */
export const HASHED_FILES = ['train.jsonl', 'test.jsonl', 'provenance.jsonl', 'rejected.jsonl', 'README.md'] as const;
export type HashedFile = (typeof HASHED_FILES)[number];
