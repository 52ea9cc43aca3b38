import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ConfigInput } from '../../schemas/config.ts';
import { datasetOf, type MockDataset } from './mock-hub.ts';

const ROWS = resolve(import.meta.dirname, '../../datasets/demo/rows');

/** The eight datasets of the hub in the layout each has there, filled with the demo rows. */
const LAYOUTS = [
  {
    name: 'meddialog',
    repo: 'OpenMed/MedDialog',
    rows: 'meddialog.jsonl',
    shards: 3,
    path: 'data/train-{n}-of-00003.parquet',
    other: 'data/validation-00000-of-00001.parquet',
  },
  {
    name: 'healthcaremagic',
    repo: 'lavita/ChatDoctor-HealthCareMagic-100k',
    rows: 'healthcaremagic.jsonl',
    shards: 1,
    path: 'data/train-{n}-of-00001-5e7cb295b9cff0bf.parquet',
    other: 'README.md',
  },
  {
    name: 'ultrachat',
    repo: 'HuggingFaceH4/ultrachat_200k',
    rows: 'ultrachat.json',
    shards: 3,
    path: 'data/train_sft-{n}-of-00003-a3ecf92756993583.parquet',
    other: 'data/train_gen-00000-of-00003.parquet',
  },
  {
    name: 'oasst1',
    repo: 'OpenAssistant/oasst1',
    rows: 'oasst1.jsonl',
    shards: 1,
    path: 'data/train-{n}-of-00001-b42a775f407cee45.parquet',
    other: 'data/validation-00000-of-00001.parquet',
  },
  {
    name: 'oasst2',
    repo: 'OpenAssistant/oasst2',
    rows: 'oasst2.trees.jsonl',
    shards: 1,
    path: 'data/train-{n}-of-00001.parquet',
    other: 'data/validation-00000-of-00001.parquet',
  },
  {
    name: 'magicoder',
    repo: 'ise-uiuc/Magicoder-OSS-Instruct-75K',
    rows: 'magicoder.csv',
    shards: 1,
    path: 'data-oss_instruct-decontaminated.jsonl',
    other: 'README.md',
  },
  {
    name: 'apps',
    repo: 'codeparrot/apps',
    rows: 'apps.jsonl',
    shards: 2,
    path: 'all/train/{n}.parquet',
    other: 'all/test/0000.parquet',
    ref: 'refs/convert/parquet',
  },
  {
    name: 'stackexchange',
    repo: 'HuggingFaceH4/stack-exchange-preferences',
    rows: 'stackexchange.jsonl',
    shards: 2,
    path: 'data/Stackoverflow.com/data-{n}.parquet',
    other: 'data/ai.stackexchange.com/data-00000.parquet',
  },
] as const;

export const LAYOUT_NAMES = LAYOUTS.map(({ name }) => name);

/** Config entries that name those datasets on the hub, with no more than a user would write. */
export function hubSources(): ConfigInput['sources'] {
  return LAYOUTS.map(({ name, repo }) => ({ name, adapter: name, hub: { repo }, licence: 'CC0-1.0' }));
}

async function filesOf(layout: (typeof LAYOUTS)[number], folder: string): Promise<Record<string, Buffer>> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const path = join(ROWS, layout.rows);
    const read = layout.rows.endsWith('.csv')
      ? `read_csv('${path}', header = true)`
      : `read_json('${path}', maximum_object_size = 100000000)`;
    await connection.run(`CREATE TABLE demo AS SELECT *, row_number() OVER () AS shard_no FROM ${read}`);
    const files: Record<string, Buffer> = {};
    for (let shard = 0; shard < layout.shards; shard += 1) {
      const out = join(folder, `${layout.name}-${shard}`);
      const format = layout.path.endsWith('.parquet') ? 'FORMAT parquet' : 'FORMAT json';
      await connection.run(
        `COPY (SELECT * EXCLUDE (shard_no) FROM demo WHERE shard_no % ${layout.shards} = ${shard} ORDER BY shard_no) TO '${out}' (${format})`,
      );
      files[layout.path.replace('{n}', String(shard).padStart(5, '0'))] = readFileSync(out);
    }
    return { ...files, [layout.other]: Buffer.from('not wanted, and no table') };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The eight datasets as the mock hub serves them. */
export async function hubDatasets(): Promise<Record<string, MockDataset>> {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-layouts-'));
  try {
    const datasets: Record<string, MockDataset> = {};
    for (const layout of LAYOUTS) datasets[layout.repo] = datasetOf(await filesOf(layout, folder), 'ref' in layout ? layout.ref : 'main');
    return datasets;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
