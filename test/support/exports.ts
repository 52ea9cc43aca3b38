import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'vitest';
import type { TestProject } from './project.ts';

/** The files of an export that DESIGN §4 promises byte for byte. */
export const EXACT_FILES = ['train.jsonl', 'test.jsonl', 'rejected.jsonl', 'provenance.jsonl', 'manifest.json', 'README.md'] as const;

/** Exports a finished build and gives the hash of each promised file. */
export async function exportHashes(project: TestProject, name = 'out'): Promise<Readonly<Record<string, string>>> {
  const folder = join(project.folder, 'exports', name);
  const { code, output } = await project.run('export', folder);
  expect(code, output).toBe(0);
  return Object.fromEntries(
    EXACT_FILES.map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex'),
    ]),
  );
}

/** What the ledger of a project holds; its owner must have ended. */
export interface LedgerCounts {
  /** Attempts written before their call. */
  readonly attempts: number;
  readonly keys: number;
  /** Attempts without a completion: possibly paid, nothing came back. */
  readonly unfinished: number;
  /** Successes beyond the first of their key. */
  readonly duplicates: number;
}

/** Counts the ledger with queries of its own. */
export async function ledgerCounts(project: TestProject): Promise<LedgerCounts> {
  const instance = await DuckDBInstance.create(join(project.folder, 'memcalib.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const count = async (sql: string): Promise<number> => Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0] ?? 0);
  try {
    return {
      attempts: await count('SELECT count(*) FROM calls'),
      keys: await count('SELECT count(DISTINCT key) FROM calls'),
      unfinished: await count('SELECT count(*) FROM calls WHERE call_no NOT IN (SELECT call_no FROM completions)'),
      duplicates: await count(
        "SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) n FROM calls JOIN completions USING (call_no) WHERE class = 'ok' GROUP BY key)",
      ),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
