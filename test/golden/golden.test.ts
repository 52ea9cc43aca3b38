import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportRelease } from '../../cli/queries/export-release.ts';
import { startRehearsalServer } from '../../llm/rehearsal/server.ts';
import type { RehearsalServer } from '../../llm/rehearsal/server.ts';
import { openStore } from '../../store/open.ts';
import { buildInProcess, SCRIPTED_LABEL } from '../support/pipeline.ts';
import { tempFolders } from '../support/temp-folder.ts';

/** Files whose bytes depend on rows, prompts, checks, plan and seed alone: not on the version that stands in the card. */
const HASHED = ['train.jsonl', 'test.jsonl', 'rejected.jsonl', 'provenance.jsonl'] as const;
const GOLDEN = join(import.meta.dirname, 'dataset.sha256');
const WRITES = process.env['MEMCALIB_GOLDEN_WRITE'] === '1';

const tempFolder = tempFolders();
let server: RehearsalServer;

beforeAll(async () => {
  server = await startRehearsalServer();
});
afterAll(() => server.close());

async function datasetHash(chunkSize: number): Promise<string> {
  const folder = tempFolder();
  const store = await openStore(join(folder, 'memcalib.duckdb'));
  try {
    const sources = (['meddialog', 'oasst1', 'apps'] as const).map((adapter) => ({
      name: `demo-${adapter}`,
      adapter,
      path: `datasets/demo/rows/${adapter}.jsonl`,
      licence: 'CC0-1.0',
    }));
    const config = { name: 'golden', seed: 'golden-1', target: { health: 2, general: 2, coding: 2 }, sources, construction: { chunkSize } };
    expect(['complete', 'dry']).toContain(await buildInProcess(store, config, server.url));
    const out = join(folder, 'out');
    const report = await exportRelease(store, { label: SCRIPTED_LABEL, folder: out, allowUnknownLicence: false, partial: true, allowMixed: false });
    expect(report.train + report.test, 'examples in the golden dataset').toBeGreaterThanOrEqual(3);
    const hash = createHash('sha256');
    for (const file of HASHED) hash.update(file).update(readFileSync(join(out, file)));
    return hash.digest('hex');
  } finally {
    await store.close();
  }
}

test('the scripted pipeline makes the stored dataset, byte for byte, at any chunk size', async () => {
  const hash = await datasetHash(5);
  if (WRITES) writeFileSync(GOLDEN, `${hash}\n`);
  const stored = existsSync(GOLDEN) ? readFileSync(GOLDEN, 'utf8').trim() : 'nothing yet';
  expect(hash, 'the dataset changed: if that is meant, type `npm run golden:write` and say why in the commit').toBe(stored);
  expect(await datasetHash(3)).toBe(stored);
}, 120_000);
