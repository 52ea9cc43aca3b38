import { join } from 'node:path';
import { makeRows } from '../../bench/overhead/make-rows.mjs';
import type { ConfigInput } from '../../schemas/config.ts';
import { DOMAINS } from '../../schemas/levels.ts';

/** Writes rows recombined from the demo rows (CC0), a third per domain, into a folder, and names them as sources of a config. */
export function manyRows(folder: string, count: number): ConfigInput['sources'] {
  makeRows(folder, count);
  return DOMAINS.map((domain) => ({
    name: `many-${domain}`,
    adapter: 'custom' as const,
    path: join(folder, `${domain}.jsonl`),
    domain,
    licence: 'CC0-1.0',
    columns: { id: 'id', question: 'question', answer: 'answer' },
  }));
}
