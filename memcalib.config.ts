import { defineConfig } from 'memcalib';

const ROWS = {
  meddialog: 'meddialog.jsonl',
  healthcaremagic: 'healthcaremagic.jsonl',
  ultrachat: 'ultrachat.json',
  oasst1: 'oasst1.jsonl',
  oasst2: 'oasst2.trees.jsonl',
  magicoder: 'magicoder.csv',
  apps: 'apps.jsonl',
  stackexchange: 'stackexchange.jsonl',
} as const;

/** The demo: rows written for this project (CC0), answered by the rehearsal model. `npm start` builds and exports it. */
export default defineConfig({
  name: 'memcalib-demo',
  seed: 'memcalib-demo-1',
  target: { health: 12, general: 12, coding: 12 },
  sources: Object.entries(ROWS).map(([adapter, file]) => ({
    name: `demo-${adapter}`,
    adapter: adapter as keyof typeof ROWS,
    path: `datasets/demo/rows/${file}`,
    licence: 'CC0-1.0',
  })),
  construction: { chunkSize: 25, window: 2 },
});
