import { defineConfig } from 'memcalib';

/** The demo: rows written for this project (CC0), answered by the rehearsal model. `npm start` builds and exports it. */
const demo = (adapter: string): { name: string; adapter: string; path: string; licence: string } => ({
  name: `demo-${adapter}`,
  adapter,
  path: `datasets/demo/rows/${adapter}.jsonl`,
  licence: 'CC0-1.0',
});

export default defineConfig({
  name: 'memcalib-demo',
  seed: 'memcalib-demo-1',
  target: { health: 12, general: 12, coding: 12 },
  sources: ['meddialog', 'healthcaremagic', 'ultrachat', 'oasst1', 'oasst2', 'magicoder', 'apps', 'stackexchange'].map(demo),
  construction: { chunkSize: 25, window: 2 },
});
