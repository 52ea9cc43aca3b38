// From source files to the stored order of candidates, as a first `build` or `plan` does it: rows, seconds, peak memory; then again with rows added.
// usage (after `npm run build`): npm run bench:screen -- --rows 1000000 [--added 10000]
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureOrder } from '../dist/activities/ensure-order.js';
import { Config } from '../dist/schemas/config.js';
import { openStore } from '../dist/store/open.js';
import { makeMany } from './ingest/make-many.mjs';

const number = (count) => count.toLocaleString('en-US');

/** One ingest into the store of a folder; prints what it took. `peak RSS` is that of the process so far. */
async function measure(label, folder, store) {
  const rows = ['health', 'general', 'coding'];
  const config = Config.parse({
    name: 'bench',
    target: { health: 150, general: 75, coding: 75 },
    seed: 'bench',
    projectDir: join(folder, 'project'),
    sources: rows.map((domain) => ({
      name: `bench-${domain}`,
      adapter: 'custom',
      path: readdirSync(folder)
        .filter((name) => name.startsWith(domain))
        .map((name) => join(folder, name)),
      domain,
      licence: 'CC0-1.0',
      columns: { id: 'id', question: 'question', answer: 'answer' },
    })),
  });
  const began = performance.now();
  const cpu = process.cpuUsage();
  const { facts, rows: told } = await ensureOrder({ store, clock: Date.now }, { config, baseDir: folder });
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sum = (counts) => counts.reduce((all, count) => all + count, 0);
  const read = sum(facts.sources.map((source) => source.rowsRead));
  const candidates = sum(Object.values(facts.candidates));
  const near = sum(facts.sources.map((source) => source.rejected.near_duplicate ?? 0));
  const other = sum(facts.sources.flatMap((source) => Object.values(source.rejected))) - near;
  console.log(
    `${label.padEnd(6)} ${number(read)} rows (${number(told.read)} read, ${number(told.known)} known from before): ${seconds.toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of CPU), peak RSS ${number(Math.round(process.resourceUsage().maxRSS / 1024))} MB, ` +
      `${number(candidates)} candidates + ${number(near)} near-duplicates + ${number(other)} others, ${read - candidates - near - other} unaccounted; load ${loadavg()[0].toFixed(1)}`,
  );
}

/** Ingests `count` rows, then the same with `added` more in files of their own. */
export async function benchIngest(count, added) {
  const folder = mkdtempSync(join(tmpdir(), 'memcalib-ingest-'));
  try {
    makeMany(folder, count);
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    console.log(`${number(count)} rows in ${number(Math.round(bytes / 1e6))} MB of JSONL, three sources`);
    const store = await openStore(join(folder, 'bench.duckdb'));
    await measure('first', folder, store);
    if (added > 0) {
      makeMany(folder, added, 'more', 500);
      await measure('added', folder, store);
    }
    await store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
