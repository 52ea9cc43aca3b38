import { join, resolve } from 'node:path';
import { defineConfig } from 'memcalib';

/** The real sample rows beside the checkout (internal test material), answered by the rehearsal model. Exports need --allow-unknown-licence. */
const rows = join(process.env['MEMCALIB_SHARED'] ?? resolve(process.cwd(), '../shared'), 'data/sources');

export default defineConfig({
  name: 'memcalib-real-rows',
  seed: 'real-rows-1',
  projectDir: process.env['MEMCALIB_REAL_PROJECT'] ?? '../../.cache/real-rows',
  target: { health: 60, general: 4, coding: 16 },
  sources: [
    { name: 'meddialog', adapter: 'meddialog', path: join(rows, 'meddialog/ai_medical_chatbot.jsonl') },
    {
      name: 'icliniq',
      adapter: 'icliniq',
      path: [join(rows, 'icliniq/lasseregin_icliniqQAs.jsonl'), join(rows, 'icliniq/chatdoctor_readme_example.jsonl')],
    },
    { name: 'oasst', adapter: 'oasst1', path: join(rows, 'oasst/messages_flat.derived.jsonl') },
    { name: 'ultrachat', adapter: 'ultrachat', path: join(rows, 'ultrachat/ultrachat_200k_two_rows.jsonl') },
    { name: 'stackexchange', adapter: 'stackexchange', path: join(rows, 'stackexchange/ai_h4shape.jsonl'), site: 'ai' },
    { name: 'apps', adapter: 'apps', path: join(rows, 'apps/apps_train.jsonl') },
    { name: 'magicoder', adapter: 'magicoder', path: join(rows, 'magicoder/oss_instruct_one_row.jsonl') },
  ],
  construction: { chunkSize: 50, window: 2 },
});
