import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ExampleRecord } from '../../schemas/record.ts';

/** Why tests on the worked examples are skipped, or null when the file is there. */
const file = join(process.env['MEMCALIB_SHARED'] ?? resolve(import.meta.dirname, '../../../shared'), 'examples/worked-examples.json');
export const skipReason: string | null = existsSync(file) ? null : `${file} is not there; set MEMCALIB_SHARED to the shared folder`;

/** Records of the six worked examples, read in place; never copied into the project. */
export function workedRecords(): readonly ExampleRecord[] {
  const parsed = JSON.parse(readFileSync(file, 'utf8')) as { readonly examples: readonly { readonly record: ExampleRecord }[] };
  return parsed.examples.map(({ record }) => record);
}

/** Blocks of all worked records with the texts of their atoms. */
export function workedBlocks(): readonly { readonly atoms: readonly string[]; readonly memoryText: string }[] {
  return workedRecords().flatMap((record) =>
    record.memory_blocks.map((block) => ({
      atoms: block.atom_ids.map((id) => record.memories.find((atom) => atom.atom_id === id)?.text ?? ''),
      memoryText: block.memory_text,
    })),
  );
}
